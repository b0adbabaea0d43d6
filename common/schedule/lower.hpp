/// \file
/// From a schedule of computations to rows that also say when each device communicates.
#pragma once

#include "schedule/schedule.hpp"

namespace pipeline {

/// The same schedule with sends and receives in its rows: a send right after the
/// computation that produces it, a receive before the one that needs it, and whatever
/// stands between two computations joined into one group, posted together:
///
///     F1 │ SA1+RG0 │ B0 │ SG0+RA2 │ F2
///
/// (SA sends an activation, RG receives a gradient, and so on; see text.hpp.) The group
/// is what keeps 1F1B alive under rendezvous: with the send first and alone, both ends
/// of a link would send, and neither receive. It is not enough for every schedule. A
/// send blocks its row until its receive is posted; where the receiver has much else to
/// do before it needs the message (a ring of several stages a device, a long warm-up),
/// two such rows could block each other:
///
///     device 0  F1 │ SA1 │ F2 │ SA2 │ F3 │ SA3+RG0 │ B0      cannot get past SA2
///     device 1  F0 │ B0 │ SG0+RA1 │ F1 │ B1 │ SG1+RA2 │ F2   cannot get past SG0
///
/// So a receive stands as late as it can without holding up the sender, if everything
/// took one tick and all devices ran in step: after what its device ran before the
/// sender's next computation, and at the latest right before the computation that needs
/// it (as it does everywhere in GPipe and 1F1B). That is an order of all communication
/// which all devices keep to: a row waits only for what comes earlier in it, so the
/// result cannot hang, at any buffer capacity. On each link receives stand in the order
/// of the sends, whatever the order in which they are needed.
///
/// Each copy of a stage talks to its own copy of the next, and each slice is a message.
/// Stages on one device pass their data in memory and need no message. Collectives and
/// updates count as computations. An overlapped pair receives for both of its actions
/// before it, and sends for both after it. A schedule that is lowered already comes
/// back as it is.
///
/// The schedule should have passed `verify`. One with faults has no such order: each
/// receive then stands right before the computation that needs it, and an action on a
/// stage that does not exist gets no messages. Linear, but for the sorting of receives
/// in each row.
Schedule lower(const Schedule& schedule);

/// Whether any row holds a send or a receive.
bool is_lowered(const Schedule& schedule);

}  // namespace pipeline

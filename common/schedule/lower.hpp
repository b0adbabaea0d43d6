/// \file
/// From a schedule of computations to rows that also say when each device communicates.
#pragma once

#include "schedule/schedule.hpp"

namespace pipeline {

/// The same schedule with sends and receives in its rows: a receive right before the
/// computation that needs it, a send right after the one that produces it, and whatever
/// stands between two computations joined into one group, posted together:
///
///     F1 │ SA1+RG0 │ B0 │ SG0+RA2 │ F2
///
/// (SA sends an activation, RG receives a gradient, and so on; see text.hpp). The group
/// is what keeps 1F1B alive under rendezvous: with the send first and alone, both ends
/// of a link would send, and neither receive. Stages on one device pass their data in
/// memory and need no message. Updates count as computations. An overlapped pair
/// receives for both of its actions before it, and sends for both after it. A schedule
/// that is lowered already comes back as it is.
///
/// The schedule should have passed `verify`; an action on a stage that does not exist
/// gets no messages. Whether the result can hang at a given buffer capacity is for
/// `verify` to say: the rows of the generators here cannot, at any.
Schedule lower(const Schedule& schedule);

/// Whether any row holds a send or a receive.
bool is_lowered(const Schedule& schedule);

}  // namespace pipeline

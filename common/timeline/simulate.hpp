/// \file
/// From a schedule and what each action costs to the times at which everything runs.
#pragma once

#include "schedule/costs.hpp"
#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// What to write down beside the spans of the actions.
struct SimulateOptions {
  bool record_transfers = false;  ///< fill `Timeline::transfers`
};

/// Plain semantics: a device runs its row in order; an action starts when its device is
/// free and its inputs have arrived; a transfer occupies the link and not the sender's
/// compute.
///
/// A message is ready when its producer ends. It waits until the link from the one
/// device to the other is free of the messages before it, occupies the link for its
/// bytes over the bandwidth, and arrives a latency later; its `Span` is from entering
/// the link to arriving. Between stages on one device nothing is sent.
///
/// Joined computations run as one cell and share one span: a Forward with a Backward
/// costs `overlapped` (the mean of the two, where their stages differ), others, a
/// Forward with an InputGradient among them, their sum. On lowered rows sends and
/// receives take no time of the device, so that the computations run when they do on
/// the rows before lowering.
///
/// Devices wait for each other in two kinds of action: the two that hold a stage begin
/// its `Reduce` of a step together, once the rows of both are there, and all of them
/// its `ReduceNorm`, which is free. Where both copies of a stage are on one device, or
/// there is one copy, a Reduce waits for nobody.
///
/// A micro-batch cut into slices runs a slice at a time: forward j after forward j-1 of
/// its stage, backward j after backward j+1. `Costs::part_weights` scale what each
/// slice (or micro-batch) costs, and its messages.
///
/// Whose weights an action uses is not asked here: that an update comes before what
/// needs it is a matter of the rows, and for `verify`.
///
/// Linear in the number of actions (recorded transfers are sorted on top). Refuses
/// costs that are negative, not finite or of the wrong count, and a schedule that is
/// malformed or whose actions wait for each other, with the words of `verify`.
Expected<Timeline> simulate(const Schedule& schedule, const Costs& costs,
                            SimulateOptions options = {});

}  // namespace pipeline

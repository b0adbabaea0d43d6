/// \file
/// From a measured timeline back to costs: what `simulate` needs to predict the same
/// run, or another schedule of the same stages.
#pragma once

#include "schedule/costs.hpp"
#include "schedule/schedule.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// What stands for several durations.
enum class Average {
  Median,  ///< a slow first step or a hiccup does not move it
  Mean,    ///< keeps the sum of all durations
};

/// One `StageCosts` a stage, each the average duration of that kind on that stage, in
/// the unit of the timeline. A full Backward that was measured whole is halved into I
/// and W. What was not measured: a recompute costs as much as a forward, an overlapped
/// pair as much as a forward and a backward, everything else nothing.
///
/// Both copies of a stage count as that stage, and a slice as a micro-batch: give
/// `part_weights` if parts differ. A Reduce should be measured from when both devices
/// are there. Of cells with several joined computations only pairs of Forward and
/// Backward count.
/// Every message costs the average transfer as latency, taken from `transfers` or, if
/// those are empty, from the receives of lowered rows.
Costs costs_from(const Schedule& schedule, const Timeline& measured,
                 Average average = Average::Median);

}  // namespace pipeline

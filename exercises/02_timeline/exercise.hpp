/// \file
/// Exercise 02: the times of a pipeline whose stages are not equal. One stage a device,
/// forwards only. Devices and micro-batches are counted from 0; there is at least one
/// of each. The picture begins at time 0, when device 0 begins micro-batch 0.
#pragma once

#include <cstdint>
#include <vector>

namespace pipeline {

/// `starts[d][k]` is when device d begins the forward of micro-batch k.
using Starts = std::vector<std::vector<double>>;

/// When every forward begins, each as early as it can. `stage_time[d]` is what one
/// forward takes on device d. An activation that device d has finished needs `transfer`
/// to get to device d+1; the sender does not wait for that.
Starts start_times(const std::vector<double>& stage_time, std::int32_t micro_batches,
                   double transfer);

/// Where one device idles between time 0 and the end of the last forward of all.
struct Idle {
  double before = 0;   ///< its first forward: the opening corner
  double between = 0;  ///< its forwards
  double after = 0;    ///< its last forward: the closing corner
};

/// The bubbles of each device.
std::vector<Idle> idle_times(const Starts& starts,
                             const std::vector<double>& stage_time);

/// The time that one micro-batch spends in the pipeline.
double latency(const Starts& starts, const std::vector<double>& stage_time,
               std::int32_t micro_batch);

/// The time between the last two micro-batches leaving; there are at least two.
double leaving_interval(const Starts& starts);

}  // namespace pipeline

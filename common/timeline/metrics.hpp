/// \file
/// What a timeline amounts to. "Bubble" has four meanings in the literature; each has a
/// name here, and no function is called just "bubble".
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

struct Metrics {
  double makespan = 0;  ///< from the first start to the last end over all devices
  double ideal = 0;     ///< the most busy time of one device: the bound without idling
  double longest_span =
      0;                   ///< longest time from a device's first start to its last end
  double utilisation = 0;  ///< busy time of all devices / (devices * makespan)

  double idle_fraction = 0;  ///< idle / makespan, averaged over the devices
  double idle_overhead = 0;  ///< idle / ideal (Megatron-LM's bubble fraction)
  double span_bubble =
      0;  ///< (longest_span - ideal) / longest_span (zero-bubble paper)
  std::vector<double>
      internal_idle;  ///< per device: idle between first and last action

  double first_latency =
      0;  ///< micro-batch 0: first forward's start to last forward's end
  double steady_interval =
      0;  ///< time between micro-batches leaving once the pipe is full
};

Metrics measure(const Schedule& schedule, const Timeline& timeline);

/// Live activations over time, from the order of the rows alone (no times needed). An
/// activation is held from its Forward to its Backward or WeightGradient; forward-only
/// schedules hold it while the forward runs.
struct Memory {
  /// per device: most activations of one stage and one micro-batch held at once
  std::vector<std::int32_t> peak_chunks;
  /// the same over the number of stages that one micro-batch visits on that device
  std::vector<double> peak;
};

struct MemoryOptions {
  /// Share of an activation that InputGradient frees; WeightGradient frees the rest.
  double freed_by_input_gradient = 0;
};

Memory memory(const Schedule& schedule, const MemoryOptions& options = {});

}  // namespace pipeline

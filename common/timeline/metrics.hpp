/// \file
/// What a timeline amounts to. "Bubble" has four meanings in the literature; each has a
/// name here, and no function is called just "bubble".
#pragma once

#include <vector>

#include "schedule/schedule.hpp"
#include "timeline/memory.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// All figures of one timeline, in its unit of time.
struct Metrics {
  /// From the first start to the last end over all devices.
  double makespan = 0;
  /// The most busy time of one device: the bound without idling.
  double ideal = 0;
  /// Longest time from a device's first start to its last end.
  double longest_span = 0;
  /// Busy time of all devices / (devices * makespan).
  double utilisation = 0;

  /// Idle / makespan, idle being the mean over the devices.
  double idle_fraction = 0;
  /// Idle / ideal, with the same idle (Megatron-LM's bubble fraction).
  double idle_overhead = 0;
  /// (longest_span - ideal) / longest_span (zero-bubble paper, table 5).
  double span_bubble = 0;
  /// Per device: idle between its first and its last action.
  std::vector<double> internal_idle;

  /// Per device: time in which it computes.
  std::vector<double> busy;

  /// Micro-batch 0, from the start of its first forward to the end of its last.
  double first_latency = 0;
  /// Time between micro-batches leaving once the pipe is full: a micro-batch leaves
  /// when the last of its actions ends, and the interval is the median of the gaps. Of
  /// a two-way schedule, whose two copies run side by side, the gaps of each copy count
  /// by themselves, and both rates add up.
  double steady_interval = 0;
};

/// Computes only: sends and receives do not count as busy, joined entries count once,
/// and entries that take no time begin and end nothing. Linear in the actions. Of a
/// timeline without any time every figure is 0.
Metrics measure(const Schedule& schedule, const Timeline& timeline);

}  // namespace pipeline

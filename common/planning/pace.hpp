/// \file
/// How fast micro-batches can follow one another through a pipeline: as fast as they
/// get through its slowest place, which is a stage or a link.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/costs.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// What runs through the pipeline, and whether it waits for its messages.
struct PaceOptions {
  bool training = true;  ///< forwards and backwards; else forwards alone
  /// A transfer goes on while its sender computes. Else it blocks the sender until the
  /// message has arrived.
  bool overlapped = true;
};

/// What one micro-batch takes of each place of a pipeline with stage s on device s, in
/// the unit of the costs.
struct Pace {
  /// Per stage: how long it occupies the device; transfers that block included.
  std::vector<double> stage_times;
  /// Per stage but the last: how long it occupies the link behind it, one way (the
  /// gradient comes back on a link of its own). A link's latency occupies nothing.
  /// Zeros where transfers block.
  std::vector<double> link_times;
  /// The largest of all of these: the time from one micro-batch to the next, once the
  /// pipeline is full.
  double interval = 0;
  /// What one micro-batch takes alone, from the first stage to the last and, in
  /// training, back: all stages, all links and their latencies.
  double pass = 0;

  /// Whether a link is slower than every stage.
  bool link_bound() const;

  /// `pass` and then an interval for each further micro-batch: sum t + (m-1) max t.
  ///
  /// Exact for forwards, each link counting as one of the t. For a 1F1B step with free
  /// transfers it is exact when the last stage is the slowest, and otherwise an upper
  /// bound if every backward costs the same multiple of its forward.
  double time_of(std::int32_t micro_batches) const;
};

/// Refuses costs that are none, or not of `stages` stages. `Costs::part_weights` are
/// not looked at.
Expected<Pace> pace_of(const Costs& costs, std::int32_t stages,
                       const PaceOptions& options = {});

}  // namespace pipeline

/// \file
/// From a schedule and what each action costs to the times at which everything runs.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// What one stage costs, in any unit of time. A full backward is I + W.
struct StageCosts {
  double forward = 1;
  double input_gradient = 1;
  double weight_gradient = 1;
  double recompute = 1;
  double overlapped = 3;  ///< FB: a forward and a full backward in one cell
  double update = 0;

  double backward() const { return input_gradient + weight_gradient; }
};

/// A link between two devices. A message of b bytes occupies the link b / bandwidth and
/// arrives `latency` after it has left; bandwidth 0 means that size costs nothing.
struct LinkCosts {
  double latency = 0;
  double bandwidth = 0;
};

/// All costs of a pipeline. `stages` holds one entry for all stages, or one for each.
/// Devices d and e are in the same node when d / devices_per_node == e /
/// devices_per_node.
struct Costs {
  std::vector<StageCosts> stages = {StageCosts{}};
  LinkCosts within_node;
  LinkCosts between_nodes;
  std::int32_t devices_per_node = 0;  ///< 0: all devices in one node
  /// Bytes of the activation (and so of the gradient) that leaves stage s; one entry
  /// for all, or one for each stage.
  std::vector<double> message_bytes = {0};

  const StageCosts& of(std::int32_t stage) const {
    return stages[stages.size() == 1 ? 0 : static_cast<std::size_t>(stage)];
  }
};

struct SimulateOptions {
  bool record_transfers = false;
};

/// Plain semantics: a device runs its row in order; an action starts when its device is
/// free and its inputs have arrived; a transfer occupies the link and not the sender's
/// compute. Linear in the number of actions. Refuses costs that are negative, not
/// finite or of the wrong count, and a schedule whose actions wait for each other.
Expected<Timeline> simulate(const Schedule& schedule, const Costs& costs,
                            SimulateOptions options = {});

}  // namespace pipeline

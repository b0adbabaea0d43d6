/// \file
/// What each action of a pipeline costs, and each message between its devices.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// What one stage costs, in any unit of time; where a device holds several, what one of
/// them does. A full backward is I + W.
struct StageCosts {
  double forward = 1;          ///< F
  double input_gradient = 1;   ///< I
  double weight_gradient = 1;  ///< W
  double recompute = 1;        ///< R
  double overlapped = 3;       ///< FB: a forward and a full backward in one cell
  double update = 0;           ///< the optimizer's, once a step
  double reduce = 0;           ///< summing the gradients of the two copies

  /// A full backward: I + W.
  double backward() const { return input_gradient + weight_gradient; }
};

/// A link between two devices. A message of b bytes occupies the link b / bandwidth and
/// arrives `latency` after it has left; bandwidth 0 means that size costs nothing.
struct LinkCosts {
  double latency = 0;    ///< in the unit of time
  double bandwidth = 0;  ///< bytes in a unit of time
};

/// All costs of a pipeline. `stages` holds one entry for all stages, or one for each.
/// Devices d and e are in the same node when d / devices_per_node == e /
/// devices_per_node.
struct Costs {
  std::vector<StageCosts> stages = {StageCosts{}};  ///< by stage, or one for all
  LinkCosts within_node = {};         ///< links between devices of one node
  LinkCosts between_nodes = {};       ///< links between devices of two
  std::int32_t devices_per_node = 0;  ///< 0: all devices in one node
  /// Bytes of the activation (and so of the gradient) that leaves stage s; one entry
  /// for all, or one for each stage.
  std::vector<double> message_bytes = {0};
  /// What each part of a step (a micro-batch, or a slice of one; in order) costs
  /// relative to `stages`, in time and in bytes; empty: 1 each. What is done once a
  /// step (update, reduce) is not weighed.
  std::vector<double> part_weights = {};

  /// What a stage costs.
  const StageCosts& of(std::int32_t stage) const {
    return stages[stages.size() == 1 ? 0 : static_cast<std::size_t>(stage)];
  }
  /// Bytes of what it sends on.
  double bytes_leaving(std::int32_t stage) const {
    return message_bytes[message_bytes.size() == 1 ? 0
                                                   : static_cast<std::size_t>(stage)];
  }
  /// The link that a message between two devices takes.
  const LinkCosts& between(std::int32_t device, std::int32_t other) const {
    const bool same_node =
        devices_per_node == 0 || device / devices_per_node == other / devices_per_node;
    return same_node ? within_node : between_nodes;
  }
};

/// The first cost that is negative, infinite or not a number, a part that weighs
/// nothing, or a list of the wrong length for a pipeline of `stages` stages; nothing
/// when all is well.
std::optional<Error> fault_of(const Costs& costs, std::int32_t stages);

/// The same, and whether each part of the schedule's steps has its weight.
std::optional<Error> fault_of(const Costs& costs, const Schedule& schedule);

}  // namespace pipeline

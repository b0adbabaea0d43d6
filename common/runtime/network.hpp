/// \file
/// A network, cut into stages and laid on devices.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "layers/compute.hpp"
#include "layers/network.hpp"
#include "layers/optimizer.hpp"
#include "planning/balance.hpp"
#include "schedule/error.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// A skip that a stage boundary cuts, and the columns of what it carries.
struct CutSkip {
  Skip skip;               ///< that is cut
  std::int32_t width = 0;  ///< columns
};

/// Some layers in a row, on one device, with their weights. The weights are shared by
/// all executors of the network; what a schedule needs beside them (slots, messages,
/// older versions of the weights) is each executor's own.
struct Stage {
  std::int32_t index = 0;            ///< in model order
  std::int32_t copy = 0;             ///< of the weights, where the placement has two
  std::int32_t device = 0;           ///< that holds it
  bool first = false;                ///< reads the batch
  bool last = false;                 ///< computes the loss
  std::int32_t first_layer = 0;      ///< its place in the network
  std::vector<const Layer*> layers;  ///< in order
  /// Where each layer's parameters begin, in floats; at multiples of 64 bytes.
  std::vector<std::size_t> offsets;
  std::size_t parameter_count = 0;  ///< floats, the gaps included
  /// The same of each layer's state.
  std::vector<std::size_t> state_offsets;
  std::size_t state_count = 0;  ///< floats, the gaps included
  /// Those of the network that begin or end here, in the order of their ends.
  std::vector<Skip> skips;
  std::vector<CutSkip> skips_in;   ///< that come with the message from the stage before
  std::vector<CutSkip> skips_out;  ///< that leave with the message to the next stage
  Buffer weights;                  ///< buffer 0 of its `WeightPlan`
  Buffer gradients;                ///< zero between steps
  Buffer moments;  ///< the optimizer's: as many times `parameter_count` as it keeps
  Buffer state;    ///< of its layers: what training keeps and no gradient changes

  /// Columns of what it takes in.
  std::int32_t inputs() const { return layers.front()->inputs(); }
  /// Columns of what it hands on.
  std::int32_t outputs() const { return layers.back()->outputs(); }
  /// The place of its i-th layer in the network, and back.
  std::int32_t layer_at(std::size_t i) const {
    return first_layer + static_cast<std::int32_t>(i);
  }
  /// The place, within the stage, of a layer of the network.
  std::size_t place_of(std::int32_t layer) const {
    return static_cast<std::size_t>(layer - first_layer);
  }
  /// Whether a layer of the network is one of its own.
  bool holds(std::int32_t layer) const {
    return first_layer <= layer && place_of(layer) < layers.size();
  }
  /// Room that a layer's cache takes, the gap behind it included.
  std::size_t cache_floats_of(std::size_t layer, std::int32_t samples,
                              std::int32_t positions) const;
  /// Room that the caches of all its layers take.
  std::size_t cache_floats(std::int32_t samples, std::int32_t positions) const;
  /// Of its i-th layer, on the device.
  float* gradients_of(std::size_t layer) const {
    return gradients.region().floats() + offsets[layer];
  }
};

/// The two streams of a device, and the workspace of the one that computes.
struct DeviceStreams {
  std::unique_ptr<Stream> compute;     ///< what computations are issued on
  std::unique_ptr<Stream> copy;        ///< what transfers are issued on
  std::unique_ptr<Compute> workspace;  ///< of the compute stream
};

/// A network whose stages are on the devices of a platform. The starting weights depend
/// on the seed and on each layer's place in the network, not on how it is cut. Where
/// the placement has two copies of each stage, both start the same.
class PlacedNetwork {
 public:
  /// Refuses a split that does not match the network and the placement, layers whose
  /// widths do not fit each other, and a placement that the platform is too small for.
  /// `platform` and `network` must outlive it. `optimizer` is what trains it.
  static Expected<std::unique_ptr<PlacedNetwork>> place(
      Platform& platform, const Network& network, const LayerSplit& split,
      const Placement& placement, std::uint64_t seed, const Optimizer& optimizer = {});

  /// Where the stages are.
  Platform& platform() { return platform_; }
  /// Which device holds which stage.
  const Placement& placement() const { return placement_; }
  /// What trains it.
  const Optimizer& optimizer() const { return optimizer_; }
  /// The seed of the starting weights.
  std::uint64_t seed() const { return seed_; }
  /// Two layers that share parameters, if any.
  const std::optional<Tie>& tie() const { return tie_; }
  /// A stage, by its index in model order.
  const Stage& stage(std::int32_t index, std::int32_t copy = 0) const {
    const std::int32_t place = copy * placement_.stages() + index;
    return stages_[static_cast<std::size_t>(place)];
  }
  /// All stages in model order, those of the second copy after those of the first.
  const std::vector<Stage>& stages() const { return stages_; }
  /// How many layers the network has.
  std::int32_t layers() const {
    return stages_.back().first_layer +
           static_cast<std::int32_t>(stages_.back().layers.size());
  }
  /// The streams of a device.
  DeviceStreams& on(std::int32_t device) {
    return streams_[static_cast<std::size_t>(device)];
  }
  /// Bytes that the weights, gradients, moments and state hold on a device.
  std::size_t bytes_on(std::int32_t device) const;

  /// For a step that was given up half-way.
  void clear_gradients();

  // All that training has made, in model order, so that it does not matter how the
  // network is cut; copied from and to the host. Not while an executor runs.

  /// The weights of all layers.
  std::vector<float> weights(std::int32_t copy = 0);
  /// The first moments of all layers, then the second ones.
  std::vector<float> moments(std::int32_t copy = 0);
  /// The state of all layers.
  std::vector<float> state(std::int32_t copy = 0);
  /// Into all copies. The sizes are those that the functions above return.
  void set_weights(std::span<const float> values);
  /// As `moments` returns them.
  void set_moments(std::span<const float> values);
  /// As `state` returns them.
  void set_state(std::span<const float> values);
  /// `digest_of` the weights.
  std::string digest(std::int32_t copy = 0);
  /// Whether both copies of the weights, where there are two, hold the same bits: they
  /// do after every step.
  bool copies_agree();

 private:
  PlacedNetwork(Platform& platform, const Network& network, Placement placement,
                std::uint64_t seed, const Optimizer& optimizer);
  void allocate(Stage& stage);
  void initialise();

  Platform& platform_;
  const Network& network_;
  Placement placement_;
  std::uint64_t seed_;
  Optimizer optimizer_;
  std::optional<Tie> tie_;
  std::vector<DeviceStreams> streams_;
  std::vector<Stage> stages_;
};

}  // namespace pipeline

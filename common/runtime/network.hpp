/// \file
/// A network, cut into stages and laid on devices.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "layers/compute.hpp"
#include "layers/network.hpp"
#include "planning/balance.hpp"
#include "schedule/error.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// Some layers in a row, on one device, with their weights. The weights are shared by
/// all executors of the network; what a schedule needs beside them (slots, messages,
/// older versions of the weights) is each executor's own.
struct Stage {
  std::int32_t index = 0;        ///< in model order
  std::int32_t copy = 0;         ///< of the weights, where the placement has two
  std::int32_t device = 0;       ///< that holds it
  bool first = false;            ///< reads the batch
  bool last = false;             ///< computes the loss
  std::int32_t first_layer = 0;  ///< its place in the network
  std::vector<const Layer*> layers;
  /// Where each layer's parameters begin, in floats; at multiples of 64 bytes.
  std::vector<std::size_t> offsets;
  std::size_t parameter_count = 0;  ///< floats, the gaps included
  Buffer weights;
  Buffer gradients;  ///< zero between steps
  Buffer velocity;

  std::int32_t inputs() const { return layers.front()->inputs(); }
  std::int32_t outputs() const { return layers.back()->outputs(); }
  float* gradients_of(std::size_t layer) const {
    return gradients.region().floats() + offsets[layer];
  }
};

/// The two streams of a device, and the workspace of the one that computes.
struct DeviceStreams {
  std::unique_ptr<Stream> compute;
  std::unique_ptr<Stream> copy;
  std::unique_ptr<Compute> workspace;
};

/// A network whose stages are on the devices of a platform. The starting weights depend
/// on the seed and on each layer's place in the network, not on how it is cut. Where
/// the placement has two copies of each stage, both start the same.
class PlacedNetwork {
 public:
  /// Refuses a split that does not match the network and the placement, layers whose
  /// widths do not fit each other, and a placement that the platform is too small for.
  /// `platform` and `network` must outlive it.
  static Expected<std::unique_ptr<PlacedNetwork>> place(Platform& platform,
                                                        const Network& network,
                                                        const LayerSplit& split,
                                                        const Placement& placement,
                                                        std::uint64_t seed);

  Platform& platform() { return platform_; }
  const Placement& placement() const { return placement_; }
  const Stage& stage(std::int32_t index, std::int32_t copy = 0) const {
    const std::int32_t place = copy * placement_.stages() + index;
    return stages_[static_cast<std::size_t>(place)];
  }
  /// All stages in model order, those of the second copy after those of the first.
  const std::vector<Stage>& stages() const { return stages_; }
  std::int32_t layers() const {
    return stages_.back().first_layer +
           static_cast<std::int32_t>(stages_.back().layers.size());
  }
  DeviceStreams& on(std::int32_t device) {
    return streams_[static_cast<std::size_t>(device)];
  }
  /// Bytes that the weights, gradients and velocity hold on a device.
  std::size_t bytes_on(std::int32_t device) const;

  /// For a step that was given up half-way.
  void clear_gradients();

  /// All weights in model order, copied to the host. Not while an executor runs.
  std::vector<float> weights(std::int32_t copy = 0);
  /// `digest_of` the weights.
  std::string digest(std::int32_t copy = 0);
  /// Whether both copies of the weights, where there are two, hold the same bits: they
  /// do after every step.
  bool copies_agree();

 private:
  PlacedNetwork(Platform& platform, Placement placement);
  void initialise(Stage& stage, std::uint64_t seed);

  Platform& platform_;
  Placement placement_;
  std::vector<DeviceStreams> streams_;
  std::vector<Stage> stages_;
};

}  // namespace pipeline

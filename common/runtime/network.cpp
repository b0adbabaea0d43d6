#include "runtime/network.hpp"

#include <optional>
#include <utility>

#include "layers/random.hpp"
#include "runtime/digest.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kAlignedFloats = 64 / sizeof(float);

std::size_t padded(std::size_t floats) {
  return (floats + kAlignedFloats - 1) / kAlignedFloats * kAlignedFloats;
}

std::optional<Error> fault_of(const Network& network, const LayerSplit& split,
                              const Placement& placement) {
  const auto layers = static_cast<std::int32_t>(network.size());
  if (static_cast<std::int32_t>(split.size()) != placement.stages() + 1 ||
      split.front() != 0 || split.back() != layers) {
    return Error{"the split does not cut " + counted(layers, "layer") + " into " +
                     counted(placement.stages(), "stage"),
                 "give the first layer of each stage, and the number of layers last"};
  }
  for (std::size_t s = 0; s + 1 < split.size(); ++s) {
    if (split[s] < split[s + 1]) continue;
    return Error{"stage " + std::to_string(s) + " has no layer",
                 "give every stage at least one layer"};
  }
  for (std::size_t i = 0; i + 1 < network.size(); ++i) {
    if (network[i]->outputs() == network[i + 1]->inputs()) continue;
    return Error{"layer " + std::to_string(i) + " (" + network[i]->name() +
                     ") does not fit layer " + std::to_string(i + 1) + " (" +
                     network[i + 1]->name() + ")",
                 "make the outputs of the one the inputs of the other"};
  }
  return std::nullopt;
}

/// Neighbouring layers draw unrelated numbers.
std::uint64_t seed_of_layer(std::uint64_t seed, std::int32_t layer) {
  return Random(seed ^ Random(static_cast<std::uint64_t>(layer)).next()).next();
}

/// Stage `s` with its layers, and no memory yet.
Stage make_stage(const Network& network, const LayerSplit& split,
                 const Placement& placement, std::int32_t s, std::int32_t copy) {
  Stage stage;
  stage.index = s;
  stage.copy = copy;
  stage.device = placement.device_of(s, copy);
  stage.first = s == 0;
  stage.last = s + 1 == placement.stages();
  stage.first_layer = split[static_cast<std::size_t>(s)];
  for (std::int32_t i = stage.first_layer; i < split[static_cast<std::size_t>(s) + 1];
       ++i) {
    const Layer& layer = *network[static_cast<std::size_t>(i)];
    stage.layers.push_back(&layer);
    stage.offsets.push_back(stage.parameter_count);
    stage.parameter_count += padded(layer.parameter_count());
  }
  return stage;
}

Region host_region(std::vector<float>& values) {
  return {reinterpret_cast<std::byte*>(values.data()), values.size() * sizeof(float),
          nullptr};
}

}  // namespace

PlacedNetwork::PlacedNetwork(Platform& platform, Placement placement)
    : platform_(platform), placement_(std::move(placement)) {
  for (std::int32_t d = 0; d < placement_.devices; ++d) {
    Device& device = platform_.device(d);
    streams_.push_back({device.make_stream("compute"), device.make_stream("copy"),
                        std::make_unique<Compute>(device)});
  }
}

Expected<std::unique_ptr<PlacedNetwork>> PlacedNetwork::place(
    Platform& platform, const Network& network, const LayerSplit& split,
    const Placement& placement, std::uint64_t seed) {
  if (placement.devices > platform.devices()) {
    return refuse("the schedule needs " + counted(placement.devices, "device") +
                      ", the platform has " + std::to_string(platform.devices()),
                  "make a platform with enough devices");
  }
  if (auto fault = fault_of(network, split, placement)) {
    return tl::unexpected<Error>(std::move(*fault));
  }
  std::unique_ptr<PlacedNetwork> placed(new PlacedNetwork(platform, placement));
  for (std::int32_t copy = 0; copy < placement.copies(); ++copy) {
    for (std::int32_t s = 0; s < placement.stages(); ++s) {
      placed->stages_.push_back(make_stage(network, split, placement, s, copy));
      placed->initialise(placed->stages_.back(), seed);
    }
  }
  return placed;
}

void PlacedNetwork::initialise(Stage& stage, std::uint64_t seed) {
  if (stage.parameter_count == 0) return;
  Device& device = platform_.device(stage.device);
  const std::size_t bytes = stage.parameter_count * sizeof(float);
  stage.weights = Buffer(device, bytes);
  stage.gradients = Buffer(device, bytes);
  stage.velocity = Buffer(device, bytes);
  std::vector<float> values(stage.parameter_count, 0.0F);
  for (std::size_t i = 0; i < stage.layers.size(); ++i) {
    const auto layer = stage.first_layer + static_cast<std::int32_t>(i);
    stage.layers[i]->initialise(values.data() + stage.offsets[i],
                                seed_of_layer(seed, layer));
  }
  Stream& stream = *on(stage.device).compute;
  stream.copy(stage.weights.region(), host_region(values));
  stream.fill_zero(stage.gradients.region());
  stream.fill_zero(stage.velocity.region());
  stream.synchronize();
}

std::size_t PlacedNetwork::bytes_on(std::int32_t device) const {
  std::size_t bytes = 0;
  for (const Stage& stage : stages_) {
    if (stage.device == device) bytes += 3 * stage.parameter_count * sizeof(float);
  }
  return bytes;
}

void PlacedNetwork::clear_gradients() {
  for (const Stage& stage : stages_) {
    if (stage.parameter_count == 0) continue;
    Stream& stream = *on(stage.device).compute;
    stream.fill_zero(stage.gradients.region());
    stream.synchronize();
  }
}

std::vector<float> PlacedNetwork::weights(std::int32_t copy) {
  std::vector<float> all;
  for (const Stage& stage : stages_) {
    if (stage.parameter_count == 0 || stage.copy != copy) continue;
    std::vector<float> values(stage.parameter_count);
    Stream& stream = *on(stage.device).compute;
    stream.copy(host_region(values), stage.weights.region());
    stream.synchronize();
    for (std::size_t i = 0; i < stage.layers.size(); ++i) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(stage.offsets[i]);
      all.insert(
          all.end(), begin,
          begin + static_cast<std::ptrdiff_t>(stage.layers[i]->parameter_count()));
    }
  }
  return all;
}

std::string PlacedNetwork::digest(std::int32_t copy) {
  return digest_of(weights(copy));
}

bool PlacedNetwork::copies_agree() {
  return placement_.copies() == 1 || digest(0) == digest(1);
}

}  // namespace pipeline

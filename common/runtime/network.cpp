#include "runtime/network.hpp"

#include <algorithm>
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

std::optional<Error> fault_of_skips(const Network& network) {
  const auto layers = static_cast<std::int32_t>(network.size());
  std::int32_t last_end = -1;
  for (const Skip& skip : network.skips) {
    const std::string name = "the skip from layer " + std::to_string(skip.from) +
                             " to layer " + std::to_string(skip.to);
    if (skip.from < 0 || skip.to < skip.from || skip.to >= layers) {
      return Error{name + " does not lie in a network of " + counted(layers, "layer"),
                   "let it begin at a layer, and end there or at a later one"};
    }
    if (skip.to <= last_end) {
      return Error{name + " ends no later than the one before it",
                   "list the skips in the order of their ends, one for each"};
    }
    last_end = skip.to;
    const Layer& first = *network[static_cast<std::size_t>(skip.from)];
    const Layer& last = *network[static_cast<std::size_t>(skip.to)];
    if (first.inputs() == last.outputs()) continue;
    return Error{name + " adds " + counted(first.inputs(), "column") + " to " +
                     std::to_string(last.outputs()),
                 "make the inputs of the one as wide as the outputs of the other"};
  }
  return std::nullopt;
}

std::optional<Error> fault_of_tie(const Network& network) {
  if (!network.tie) return std::nullopt;
  const Tie& tie = *network.tie;
  const auto layers = static_cast<std::int32_t>(network.size());
  const bool exist = 0 <= tie.first && tie.first < tie.second && tie.second < layers;
  if (exist &&
      tie.count <= network[static_cast<std::size_t>(tie.first)]->parameter_count() &&
      tie.count <= network[static_cast<std::size_t>(tie.second)]->parameter_count()) {
    return std::nullopt;
  }
  return Error{"layers " + std::to_string(tie.first) + " and " +
                   std::to_string(tie.second) + " do not share " +
                   std::to_string(tie.count) + " parameters",
               "tie two layers of the network that have as many"};
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
  const std::int32_t end = split[static_cast<std::size_t>(s) + 1];
  for (std::int32_t i = stage.first_layer; i < end; ++i) {
    const Layer& layer = *network[static_cast<std::size_t>(i)];
    stage.layers.push_back(&layer);
    stage.offsets.push_back(stage.parameter_count);
    stage.parameter_count += padded(layer.parameter_count());
    stage.state_offsets.push_back(stage.state_count);
    stage.state_count += padded(layer.state_count());
  }
  const auto is_cut_at = [](const Skip& skip, std::int32_t boundary) {
    return skip.from < boundary && boundary <= skip.to;
  };
  for (const Skip& skip : network.skips) {
    const std::int32_t width = network[static_cast<std::size_t>(skip.from)]->inputs();
    if (stage.holds(skip.from) || stage.holds(skip.to)) stage.skips.push_back(skip);
    if (is_cut_at(skip, stage.first_layer)) stage.skips_in.push_back({skip, width});
    if (is_cut_at(skip, end)) stage.skips_out.push_back({skip, width});
  }
  return stage;
}

Region host_region(std::span<float> values) {
  return {reinterpret_cast<std::byte*>(values.data()), values.size() * sizeof(float),
          nullptr};
}

/// `count` floats at float `at` of a buffer.
Region piece(const Buffer& buffer, std::size_t at, std::size_t count) {
  return buffer.part(at * sizeof(float), count * sizeof(float));
}

std::size_t parameters_of(const Layer& layer) { return layer.parameter_count(); }
std::size_t states_of(const Layer& layer) { return layer.state_count(); }

/// What a kind of value of all layers is made of: which buffer of a stage, where in it
/// each layer's begin, and how many a layer has.
struct Kept {
  Buffer Stage::*buffer;
  std::vector<std::size_t> Stage::*offsets;
  std::size_t (*count)(const Layer&);
};

/// Calls `work(stage, region, count)` for what each layer of one copy keeps, in model
/// order.
template <typename F>
void for_each_kept(const std::vector<Stage>& stages, std::int32_t copy,
                   const Kept& kept, std::size_t moment, const F& work) {
  for (const Stage& stage : stages) {
    if (stage.copy != copy) continue;
    for (std::size_t i = 0; i < stage.layers.size(); ++i) {
      const std::size_t count = kept.count(*stage.layers[i]);
      if (count == 0) continue;
      const std::size_t at = moment * stage.parameter_count + (stage.*kept.offsets)[i];
      work(stage, piece(stage.*kept.buffer, at, count), count);
    }
  }
}

constexpr Kept kWeights = {&Stage::weights, &Stage::offsets, parameters_of};
constexpr Kept kMoments = {&Stage::moments, &Stage::offsets, parameters_of};
constexpr Kept kState = {&Stage::state, &Stage::state_offsets, states_of};

void read(PlacedNetwork& network, std::int32_t copy, const Kept& kept,
          std::size_t moment, std::vector<float>& all) {
  for_each_kept(network.stages(), copy, kept, moment,
                [&](const Stage& stage, const Region& from, std::size_t count) {
                  all.resize(all.size() + count);
                  Stream& stream = *network.on(stage.device).compute;
                  stream.copy(host_region(std::span(all).last(count)), from);
                  stream.synchronize();
                });
}

/// Returns what is left of the values.
std::span<const float> write(PlacedNetwork& network, std::int32_t copy,
                             const Kept& kept, std::size_t moment,
                             std::span<const float> values) {
  for_each_kept(network.stages(), copy, kept, moment,
                [&](const Stage& stage, const Region& to, std::size_t count) {
                  std::vector<float> piece_of(
                      values.begin(),
                      values.begin() + static_cast<std::ptrdiff_t>(count));
                  values = values.subspan(count);
                  Stream& stream = *network.on(stage.device).compute;
                  stream.copy(to, host_region(piece_of));
                  stream.synchronize();
                });
  return values;
}

}  // namespace

std::size_t Stage::cache_floats_of(std::size_t layer, std::int32_t samples,
                                   std::int32_t positions) const {
  return padded(layers[layer]->cache_floats(samples, positions));
}

std::size_t Stage::cache_floats(std::int32_t samples, std::int32_t positions) const {
  std::size_t floats = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    floats += cache_floats_of(i, samples, positions);
  }
  return floats;
}

PlacedNetwork::PlacedNetwork(Platform& platform, const Network& network,
                             Placement placement, std::uint64_t seed,
                             const Optimizer& optimizer)
    : platform_(platform),
      network_(network),
      placement_(std::move(placement)),
      seed_(seed),
      optimizer_(optimizer),
      tie_(network.tie) {
  for (std::int32_t d = 0; d < placement_.devices; ++d) {
    Device& device = platform_.device(d);
    streams_.push_back({device.make_stream("compute"), device.make_stream("copy"),
                        std::make_unique<Compute>(device)});
  }
}

Expected<std::unique_ptr<PlacedNetwork>> PlacedNetwork::place(
    Platform& platform, const Network& network, const LayerSplit& split,
    const Placement& placement, std::uint64_t seed, const Optimizer& optimizer) {
  if (placement.devices > platform.devices()) {
    return refuse("the schedule needs " + counted(placement.devices, "device") +
                      ", the platform has " + std::to_string(platform.devices()),
                  "make a platform with enough devices");
  }
  auto fault = fault_of(network, split, placement);
  if (!fault) fault = fault_of_skips(network);
  if (!fault) fault = fault_of_tie(network);
  if (fault) return tl::unexpected<Error>(std::move(*fault));
  std::unique_ptr<PlacedNetwork> placed(
      new PlacedNetwork(platform, network, placement, seed, optimizer));
  for (std::int32_t copy = 0; copy < placement.copies(); ++copy) {
    for (std::int32_t s = 0; s < placement.stages(); ++s) {
      placed->stages_.push_back(make_stage(network, split, placement, s, copy));
      placed->allocate(placed->stages_.back());
    }
  }
  placed->initialise();
  return placed;
}

void PlacedNetwork::allocate(Stage& stage) {
  Device& device = platform_.device(stage.device);
  Stream& stream = *on(stage.device).compute;
  const auto make = [&](std::size_t floats) {
    Buffer buffer;
    if (floats == 0) return buffer;
    buffer = Buffer(device, floats * sizeof(float));
    stream.fill_zero(buffer.region());
    return buffer;
  };
  stage.weights = make(stage.parameter_count);
  stage.gradients = make(stage.parameter_count);
  stage.moments = make(optimizer_.moments() * stage.parameter_count);
  stage.state = make(stage.state_count);
  stream.synchronize();
}

void PlacedNetwork::initialise() {
  std::vector<float> weights;
  std::vector<float> state;
  std::size_t shared = 0;  // where the first of the tied layers begins
  for (std::size_t i = 0; i < network_.size(); ++i) {
    const Layer& layer = *network_[i];
    const auto number = static_cast<std::int32_t>(i);
    const std::size_t at = weights.size();
    weights.resize(at + layer.parameter_count());
    layer.initialise(weights.data() + at, seed_of_layer(seed_, number));
    if (tie_ && number == tie_->first) shared = at;
    if (tie_ && number == tie_->second) {
      std::copy_n(weights.data() + shared, tie_->count, weights.data() + at);
    }
    state.resize(state.size() + layer.state_count());
    layer.initialise_state(state.data() + state.size() - layer.state_count());
  }
  set_weights(weights);
  set_state(state);
}

std::size_t PlacedNetwork::bytes_on(std::int32_t device) const {
  std::size_t bytes = 0;
  for (const Stage& stage : stages_) {
    if (stage.device != device) continue;
    bytes += stage.weights.region().bytes + stage.gradients.region().bytes +
             stage.moments.region().bytes + stage.state.region().bytes;
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
  read(*this, copy, kWeights, 0, all);
  return all;
}

std::vector<float> PlacedNetwork::moments(std::int32_t copy) {
  std::vector<float> all;
  for (std::size_t n = 0; n < optimizer_.moments(); ++n) {
    read(*this, copy, kMoments, n, all);
  }
  return all;
}

std::vector<float> PlacedNetwork::state(std::int32_t copy) {
  std::vector<float> all;
  read(*this, copy, kState, 0, all);
  return all;
}

void PlacedNetwork::set_weights(std::span<const float> values) {
  for (std::int32_t copy = 0; copy < placement_.copies(); ++copy) {
    write(*this, copy, kWeights, 0, values);
  }
}

void PlacedNetwork::set_moments(std::span<const float> values) {
  for (std::int32_t copy = 0; copy < placement_.copies(); ++copy) {
    std::span<const float> left = values;
    for (std::size_t n = 0; n < optimizer_.moments(); ++n) {
      left = write(*this, copy, kMoments, n, left);
    }
  }
}

void PlacedNetwork::set_state(std::span<const float> values) {
  for (std::int32_t copy = 0; copy < placement_.copies(); ++copy) {
    write(*this, copy, kState, 0, values);
  }
}

std::string PlacedNetwork::digest(std::int32_t copy) {
  return digest_of(weights(copy));
}

bool PlacedNetwork::copies_agree() {
  return placement_.copies() == 1 || digest(0) == digest(1);
}

}  // namespace pipeline

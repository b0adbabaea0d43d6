/// \file
/// What the tests of the runtime train: a small network on made-up rows, so that
/// hundreds of runs take a second. No two sizes are the same. Test code.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "layers/random.hpp"
#include "runtime/executor.hpp"
#include "runtime/network.hpp"
#include "schedule/generate.hpp"

namespace pipeline {

/// So many layers (an odd number), 6 inputs, 4 classes: linear ones with ReLU and GELU
/// in turn between them. Up to as many stages.
inline Network small_network(std::int32_t layers = 9) {
  constexpr std::int32_t kWidths[] = {9, 7, 10, 5, 8, 11};
  Network network;
  std::int32_t width = 6;
  for (std::int32_t i = 0; i < layers / 2; ++i) {
    const std::int32_t next = kWidths[i % 6];
    network.push_back(linear(width, next));
    network.push_back(i % 2 == 0 ? relu(next) : gelu(next));
    width = next;
  }
  network.push_back(linear(width, 4));
  return network;
}

/// The smallest small network that can be cut into so many stages.
inline std::int32_t layers_for(std::int32_t stages) {
  return stages <= 9 ? 9 : stages / 2 * 2 + 1;
}

/// Rows whose label can be learnt: the largest of the first four inputs.
class SmallData {
 public:
  static constexpr std::int32_t kInputs = 6;

  explicit SmallData(std::int32_t rows) {
    Random random(7);
    for (std::int32_t i = 0; i < rows * kInputs; ++i) {
      inputs_.push_back(static_cast<float>(2 * random.uniform() - 1));
    }
    for (std::int32_t row = 0; row < rows; ++row) {
      const float* x = inputs_.data() + std::ptrdiff_t{row} * kInputs;
      labels_.push_back(static_cast<std::int32_t>(std::max_element(x, x + 4) - x));
    }
  }

  Batch batch(std::int32_t first, std::int32_t rows) const {
    return {inputs_.data() + std::ptrdiff_t{first} * kInputs, labels_.data() + first,
            rows};
  }
  /// One after the other, of so many rows each.
  std::vector<Batch> batches(const std::vector<std::int32_t>& rows) const {
    std::vector<Batch> all;
    std::int32_t first = 0;
    for (const std::int32_t count : rows) {
      all.push_back(batch(first, count));
      first += count;
    }
    return all;
  }

 private:
  std::vector<float> inputs_;
  std::vector<std::int32_t> labels_;
};

/// Steps of different sizes, ragged for most m up to 17.
inline std::vector<std::int32_t> small_steps() { return {23, 17, 20}; }

struct Trained {
  std::string digest;
  RunResult result;
  std::vector<float> weights;
  bool copies_agree = true;
  std::vector<std::size_t> planned_bytes;  ///< by device, the network's and scratch too
  std::vector<std::size_t> measured_bytes;  ///< by device: peak of its meter
};

inline constexpr std::uint64_t kSmallSeed = 3;

/// Trains a small network from the same start; fails the test if it is refused.
inline Trained train_small(Platform& platform, const Schedule& schedule,
                           const ExecutorOptions& options = {},
                           const std::vector<std::int32_t>& rows = small_steps(),
                           std::int32_t layers = 9, bool tied = false) {
  Network network = small_network(layers);
  if (tied) network.tie = {0, layers - 1, 20};
  const auto split = even_split(layers, schedule.stages());
  auto placed =
      PlacedNetwork::place(platform, network, *split, schedule.placement, kSmallSeed);
  if (!placed) {
    ADD_FAILURE() << placed.error().what;
    return {};
  }
  auto executor = Executor::make(**placed, schedule, 23, options);
  if (!executor) {
    ADD_FAILURE() << executor.error().what;
    return {};
  }
  const SmallData data(23 * static_cast<std::int32_t>(rows.size()));
  if (const auto ran = (*executor)->run(data.batches(rows)); !ran) {
    ADD_FAILURE() << ran.error().what;
    return {};
  }
  Trained trained = {(*placed)->digest(),
                     (*executor)->result(),
                     (*placed)->weights(),
                     (*placed)->copies_agree(),
                     {},
                     {}};
  for (std::int32_t d = 0; d < schedule.devices(); ++d) {
    trained.planned_bytes.push_back((*placed)->bytes_on(d) +
                                    (*executor)->planned_bytes(d) +
                                    (*placed)->on(d).workspace->scratch_bytes());
    trained.measured_bytes.push_back(platform.device(d).meter().peak_bytes);
  }
  return trained;
}

inline Schedule generated(std::string_view name, std::int32_t devices,
                          std::int32_t micro_batches, std::int32_t steps = 3) {
  return *generate(name, {devices, micro_batches, steps});
}

inline Schedule generated(std::string_view name, const Request& request) {
  return *generate(name, request);
}

/// Two pipelines beside each other, each with its own copy of the weights and half of
/// the micro-batches, on devices that have nothing to do with each other but the sum.
inline Schedule replicas(std::int32_t stages, std::int32_t micro_batches,
                         std::int32_t steps) {
  Schedule schedule;
  schedule.name = "replicas";
  schedule.placement.devices = 2 * stages;
  for (std::int32_t s = 0; s < stages; ++s) {
    schedule.placement.device_of_stage.push_back(s);
    schedule.placement.device_of_second_copy.push_back(stages + s);
  }
  schedule.micro_batches = micro_batches;
  schedule.steps = steps;
  schedule.rows.resize(2 * static_cast<std::size_t>(stages));
  for (std::int32_t step = 0; step < steps; ++step) {
    for (const ActionKind kind : {ActionKind::Forward, ActionKind::Backward}) {
      for (std::int32_t j = 0; j < micro_batches; ++j) {
        const std::int32_t k = step * micro_batches + j;
        for (std::int32_t s = 0; s < stages; ++s) {
          schedule.rows[static_cast<std::size_t>(schedule.device_of(s, k))].push_back(
              {{kind, 0, s, k}});
        }
      }
    }
    append_updates(schedule, step, false);
  }
  return schedule;
}

/// A platform of this build with so many devices; null, and the test skipped, where
/// there is no GPU for a cuda build.
class RuntimeTest : public testing::Test {
 protected:
  std::unique_ptr<Platform> platform_of(std::int32_t devices) {
    auto made = make_platform(devices);
    if (!made) {
      ADD_FAILURE() << made.error().what;
      return nullptr;
    }
    return std::move(*made);
  }
  void SetUp() override {
    const auto made = make_platform(1);
    if (!made && made.error().kind == ErrorKind::Absent) {
      GTEST_SKIP() << "no GPU: not run (" << made.error().what << ")";
    }
  }
};

}  // namespace pipeline

/// \file
/// The whole training loop: epochs over a data set, then the accuracy on another.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/fashion_mnist.hpp"
#include "runtime/executor.hpp"
#include "schedule/generate.hpp"

namespace pipeline {

struct TrainingProgress {
  std::int32_t step = 0;   ///< steps done
  std::int32_t steps = 0;  ///< of so many
  double loss = 0;         ///< of the newest step
};

struct TrainingOptions {
  std::string schedule = "1f1b";  ///< a name that `generate` knows
  /// Makes the schedule instead, where it has no such name.
  Expected<Schedule> (*generator)(const Request&) = nullptr;
  std::int32_t devices = 2;
  std::int32_t micro_batches = 4;
  LayerSplit split = {};  ///< which layers are a stage; empty: `even_split`
  std::int32_t batch_rows = 128;
  std::int32_t epochs = 1;
  std::uint64_t seed = 1;  ///< of the starting weights
  Optimizer optimizer;
  ExecutorOptions executor;
  /// Steps that are issued in one go: between them the host is not waited for. An
  /// asynchronous schedule runs empty after each such run, and fills again.
  std::int32_t steps_a_run = 4;
  /// Asked between runs; true stops with what is there (SIGINT sets it).
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const TrainingProgress&)> progress;  ///< called between runs
  /// What else the generator is asked for; of its shape only `global_norm` is read.
  Request request = {};
};

struct TrainingReport {
  std::vector<double> step_loss;
  bool interrupted = false;
  double test_accuracy = 0;  ///< share of the test images, 0 to 1
  std::string digest;        ///< of the trained weights
  /// The last run of `steps_a_run` steps: its schedule, and what was measured.
  Schedule schedule;
  RunResult last_run;
};

/// Trains `network` on `train`, batches in the stored order (both sets are stored
/// shuffled), and evaluates it on `test`. The same for every schedule, number of
/// devices and platform: the split into batches and micro-batches, the starting
/// weights, the order in which gradients are added. So for one m the digests agree bit
/// for bit.
Expected<TrainingReport> train(Platform& platform, const Network& network,
                               const ImageSet& train, const ImageSet& test,
                               const TrainingOptions& options);

/// Share of `set` whose largest logit is the label, by the forward-only schedule.
Expected<double> evaluate(PlacedNetwork& network, const ImageSet& set,
                          std::int32_t batch_rows, std::int32_t micro_batches);

}  // namespace pipeline

/// \file
/// The whole training loop: epochs over a data set, then the accuracy on another.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/fashion_mnist.hpp"
#include "runtime/training_loop.hpp"

namespace pipeline {

/// How far a training has come.
struct TrainingProgress {
  std::int32_t step = 0;   ///< steps done
  std::int32_t steps = 0;  ///< of so many
  double loss = 0;         ///< of the newest step
};

/// How a network is trained on a data set.
struct TrainingOptions : TrainingSetup {
  std::int32_t batch_rows = 128;  ///< samples of a step
  std::int32_t epochs = 1;        ///< times that it sees the whole set
  std::function<void(const TrainingProgress&)> progress;  ///< called between runs
};

/// What a training came to.
struct TrainingReport {
  std::vector<double> step_loss;  ///< mean loss over the rows of each step
  bool interrupted = false;       ///< whether it was stopped before its last step
  double test_accuracy = 0;       ///< share of the test images, 0 to 1
  std::string digest;             ///< of the trained weights
  /// The last run of `steps_a_run` steps: its schedule, and what was measured.
  Schedule schedule;
  RunResult last_run;  ///< what that run came to
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

/// \file
/// A transformer trained on text across a pipeline: logged, checkpointed, and gone on
/// with after it was killed. See generation.hpp for what it then writes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/text.hpp"
#include "layers/transformer.hpp"
#include "runtime/checkpoint.hpp"
#include "runtime/training_loop.hpp"

namespace pipeline {

/// How far a training has come.
struct TextProgress {
  std::int64_t step = 0;         ///< steps done
  std::int64_t steps = 0;        ///< of so many
  double loss = 0;               ///< of the newest step
  double tokens_per_second = 0;  ///< of this call, so far
  double seconds_left = 0;       ///< as things go
};

/// How a transformer is trained on text.
struct TextTrainingOptions : TrainingSetup {
  /// AdamW, all gradients clipped to a norm of 1, a step a run.
  TextTrainingOptions() {
    optimizer.kind = Optimizer::Kind::AdamW;
    optimizer.rate = 1e-3F;
    executor.clip = 1;
    steps_a_run = 1;
  }

  std::int32_t samples = 16;  ///< windows of text in a step
  /// Tokens in each, by step in turn; none longer than the network's context. Empty:
  /// always that.
  std::vector<std::int32_t> contexts = {};
  std::int64_t steps = 200;     ///< steps in all, those of before a resume included
  std::int64_t log_every = 20;  ///< steps; and at the first and the last one
  /// Windows of the held-out text, by which a line of the log judges.
  std::int32_t held_out_windows = 32;
  /// Where checkpoints go, and where training goes on from if there is one. Empty:
  /// nowhere.
  std::string checkpoints = {};
  std::int64_t checkpoint_every = 0;  ///< steps; and when training ends or is stopped
  std::function<void(const TextProgress&)> progress = {};  ///< called between runs
  /// Called with each line of the log. Whatever it does with the network, save setting
  /// its weights, changes nothing in the training.
  std::function<void(PlacedNetwork&, const LogLine&)> logged = {};
};

/// What a training came to.
struct TextTrainingReport {
  std::vector<LogLine> log;       ///< those of before a resume, too
  std::int64_t steps = 0;         ///< done
  std::int64_t resumed_from = 0;  ///< the step that a checkpoint was at; 0: none
  bool interrupted = false;       ///< whether it was stopped before its last step
  double tokens_per_second = 0;   ///< of this call's steps, without evaluation
  std::string digest;             ///< of the trained weights
  /// The last run of steps; empty where there was nothing left to do.
  Schedule schedule;
  RunResult last_run;  ///< what that run came to
};

/// Trains the network of `shape` on windows of the corpus that follow from seed and
/// step. For one number of micro-batches the weights agree bit for bit on every
/// schedule, number of devices and platform, and however often training was stopped,
/// killed and taken up again.
Expected<TextTrainingReport> train_text(Platform& platform,
                                        const TransformerShape& shape,
                                        const Corpus& corpus,
                                        const TextTrainingOptions& options);

/// Mean loss over `windows` windows of the part that is held out.
Expected<double> held_out_loss(PlacedNetwork& network, const Corpus& corpus,
                               std::int32_t context, std::int32_t windows,
                               std::int32_t micro_batches);

}  // namespace pipeline

/// \file
/// What all training shares: a network laid out for a schedule, steps one after
/// another, and evaluation between them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "layers/optimizer.hpp"
#include "planning/balance.hpp"
#include "runtime/executor.hpp"
#include "schedule/generate.hpp"

namespace pipeline {

/// How a network is trained, whatever on.
struct TrainingSetup {
  std::string schedule = "1f1b";  ///< a name that `generate` knows
  /// Makes the schedule instead, where it has no such name.
  Expected<Schedule> (*generator)(const Request&) = nullptr;
  std::int32_t devices = 2;        ///< p
  std::int32_t micro_batches = 4;  ///< m
  LayerSplit split = {};           ///< which layers are a stage; empty: `even_split`
  std::uint64_t seed = 1;          ///< of the starting weights, and of what steps draw
  Optimizer optimizer;             ///< by which rule weights change
  ExecutorOptions executor;        ///< how its schedule is run
  /// Steps that are issued in one go: between them the host is not waited for. An
  /// asynchronous schedule runs empty after each such run, and fills again.
  std::int32_t steps_a_run = 4;
  /// Asked between runs; true stops with what is there (SIGINT sets it).
  const std::atomic<bool>* stop = nullptr;
  /// What else the generator is asked for; of its shape only `global_norm` is read. The
  /// norm is also taken where gradients are clipped or layers tied, which need it.
  Request request = {};
};

/// Why nothing can be trained like that, if it cannot: a rate that is not a number …
std::optional<Error> fault_of(const Optimizer& optimizer);

/// Steps [first, end) of a training have been done in one run.
struct RunDone {
  std::int64_t first = 0;    ///< the first step of the run
  std::int64_t end = 0;      ///< one past its last step
  const Schedule& schedule;  ///< what ran
  const RunResult& result;   ///< what it came to
};

/// A network on its devices, and the executor of the schedule that trains it.
class TrainingLoop {
 public:
  /// `platform`, `network` and `setup` must outlive it. `most_rows` is that of the
  /// largest batch.
  static Expected<std::unique_ptr<TrainingLoop>> make(Platform& platform,
                                                      const Network& network,
                                                      const TrainingSetup& setup,
                                                      std::int32_t most_rows);

  /// The network that is trained.
  PlacedNetwork& network() { return *placed_; }

  /// Steps [first, end), in runs that end at multiples of `steps_a_run`, so that they
  /// are the same ones wherever training was broken off. `batch_of(step)` stays valid
  /// while it is asked for the other steps of the run, and the run itself; `done` is
  /// called between runs. True: `end` was reached; false: it was stopped before. A loss
  /// that is no number is refused, with the stage and the layer that it came from; the
  /// weights are lost then.
  Expected<bool> run(std::int64_t first, std::int64_t end,
                     const std::function<Batch(std::int64_t)>& batch_of,
                     const std::function<Expected<void>(const RunDone&)>& done);

 private:
  TrainingLoop(const Network& network, const TrainingSetup& setup,
               std::int32_t most_rows, std::unique_ptr<PlacedNetwork> placed)
      : network_(network),
        setup_(setup),
        most_rows_(most_rows),
        placed_(std::move(placed)) {}
  Expected<void> make_executor(std::int32_t steps);

  const Network& network_;
  const TrainingSetup& setup_;
  std::int32_t most_rows_;
  std::unique_ptr<PlacedNetwork> placed_;
  std::unique_ptr<Executor> executor_;
};

/// What a network makes of rows that it is not trained on.
struct Evaluation {
  double loss = 0;     ///< mean over the rows
  double correct = 0;  ///< share of the rows whose largest logit was the label
};

/// All batches, by forwards alone; nothing of the network changes.
Expected<Evaluation> evaluate(PlacedNetwork& network, std::span<const Batch> batches,
                              std::int32_t micro_batches);

}  // namespace pipeline

#include "runtime/training_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace pipeline {
namespace {

/// Forwards alone on any placement: each device takes its stages in model order, for
/// each micro-batch those of the copy that it runs on.
Schedule forwards_on(const Placement& placement, std::int32_t micro_batches,
                     std::int32_t steps) {
  Schedule schedule;
  schedule.name = "forward";
  schedule.placement = placement;
  schedule.micro_batches = micro_batches;
  schedule.steps = steps;
  schedule.training = false;
  schedule.rows.resize(static_cast<std::size_t>(placement.devices));
  for (std::int32_t k = 0; k < schedule.total_micro_batches(); ++k) {
    for (std::int32_t s = 0; s < placement.stages(); ++s) {
      schedule.rows[static_cast<std::size_t>(schedule.device_of(s, k))].push_back(
          {{ActionKind::Forward, 0, s, k}, false});
    }
  }
  return schedule;
}

Expected<Schedule> schedule_of(const Network& network, const TrainingSetup& setup,
                               std::int32_t steps) {
  Request request = setup.request;
  request.shape.devices = setup.devices;
  request.shape.micro_batches = setup.micro_batches;
  request.shape.steps = steps;
  if (setup.executor.clip > 0 || network.tie) request.shape.global_norm = true;
  return setup.generator != nullptr ? setup.generator(request)
                                    : generate(setup.schedule, request);
}

/// What a run has to say of a loss that is no number.
std::optional<Error> fault_of_loss(const Network& network, const RunResult& result,
                                   std::int64_t first) {
  const auto& losses = result.step_loss;
  const auto lost = std::find_if(losses.begin(), losses.end(),
                                 [](double loss) { return !std::isfinite(loss); });
  if (!result.not_finite && lost == losses.end()) return std::nullopt;
  std::int64_t step = first + (lost - losses.begin());
  std::string where = "the loss";
  if (result.not_finite) {
    const NotFinite& at = *result.not_finite;
    step = first + at.step;
    where = "the output of layer " + std::to_string(at.layer) + " (" +
            network[static_cast<std::size_t>(at.layer)]->name() + ") on stage " +
            std::to_string(at.stage);
  }
  return Error{"training stopped: in step " + std::to_string(step + 1) + " " + where +
                   " was infinite or not a number",
               "take a smaller rate, or clip the gradients; checkpoints made before "
               "stand"};
}

}  // namespace

std::optional<Error> fault_of(const Optimizer& optimizer) {
  const auto wrong = [](const std::string& name, float value, const char* range) {
    return Error{"the " + name + " is " + std::to_string(value),
                 std::string("give ") + range};
  };
  const auto is_share = [](float value) { return value >= 0 && value < 1; };
  const auto is_amount = [](float value) { return std::isfinite(value) && value >= 0; };
  const char* const amount = "a number that is not negative";
  const char* const share = "a number from 0 to below 1";
  if (!is_amount(optimizer.rate)) return wrong("rate", optimizer.rate, amount);
  if (!is_amount(optimizer.least_rate)) {
    return wrong("least rate", optimizer.least_rate, amount);
  }
  if (!is_amount(optimizer.decay)) return wrong("decay", optimizer.decay, amount);
  if (!is_share(optimizer.momentum)) {
    return wrong("momentum", optimizer.momentum, share);
  }
  if (!is_share(optimizer.beta1)) return wrong("beta1", optimizer.beta1, share);
  if (!is_share(optimizer.beta2)) return wrong("beta2", optimizer.beta2, share);
  if (!is_amount(optimizer.epsilon) || optimizer.epsilon == 0) {
    return wrong("epsilon", optimizer.epsilon, "a small positive number");
  }
  if (optimizer.warmup_steps >= 0 && optimizer.decay_steps >= 0) return std::nullopt;
  return Error{"the rate cannot rise or fall in less than 0 steps",
               "give 0 steps or more"};
}

Expected<std::unique_ptr<TrainingLoop>> TrainingLoop::make(Platform& platform,
                                                           const Network& network,
                                                           const TrainingSetup& setup,
                                                           std::int32_t most_rows) {
  if (setup.steps_a_run < 1) {
    return refuse("a run of " + std::to_string(setup.steps_a_run) + " steps is none",
                  "give 1 or more");
  }
  if (auto fault = fault_of(setup.optimizer)) return tl::unexpected(std::move(*fault));
  const auto shape = schedule_of(network, setup, 1);
  if (!shape) return tl::unexpected(shape.error());
  const auto split =
      setup.split.empty()
          ? even_split(static_cast<std::int32_t>(network.size()), shape->stages())
          : Expected<LayerSplit>(setup.split);
  if (!split) return tl::unexpected(split.error());
  auto placed = PlacedNetwork::place(platform, network, *split, shape->placement,
                                     setup.seed, setup.optimizer);
  if (!placed) return tl::unexpected(std::move(placed.error()));
  return std::unique_ptr<TrainingLoop>(
      new TrainingLoop(network, setup, most_rows, std::move(*placed)));
}

Expected<bool> TrainingLoop::run(
    std::int64_t first, std::int64_t end,
    const std::function<Batch(std::int64_t)>& batch_of,
    const std::function<Expected<void>(const RunDone&)>& done) {
  std::vector<Batch> batches;
  while (first < end) {
    if (setup_.stop != nullptr && setup_.stop->load()) return false;
    const std::int64_t next =
        std::min(end, (first / setup_.steps_a_run + 1) * setup_.steps_a_run);
    if (auto made = make_executor(static_cast<std::int32_t>(next - first)); !made) {
      return tl::unexpected(std::move(made.error()));
    }
    batches.clear();
    for (std::int64_t step = first; step < next; ++step) {
      batches.push_back(batch_of(step));
    }
    if (auto ran = executor_->run(batches, first); !ran) {
      return tl::unexpected(std::move(ran.error()));
    }
    const RunResult& result = executor_->result();
    if (auto fault = fault_of_loss(network_, result, first)) {
      return tl::unexpected(std::move(*fault));
    }
    const auto noted = done({first, next, executor_->schedule(), result});
    if (!noted) return tl::unexpected(noted.error());
    first = next;
  }
  return true;
}

Expected<void> TrainingLoop::make_executor(std::int32_t steps) {
  if (executor_ != nullptr && executor_->schedule().steps == steps) return {};
  auto schedule = schedule_of(network_, setup_, steps);
  if (!schedule) return tl::unexpected(std::move(schedule.error()));
  executor_.reset();  // its memory before the next one's
  auto made = Executor::make(*placed_, *schedule, most_rows_, setup_.executor);
  if (!made) return tl::unexpected(std::move(made.error()));
  executor_ = std::move(*made);
  return {};
}

Expected<Evaluation> evaluate(PlacedNetwork& network, std::span<const Batch> batches,
                              std::int32_t micro_batches) {
  ExecutorOptions options;
  std::int32_t most_rows = 0;
  std::int32_t fewest_rows = std::numeric_limits<std::int32_t>::max();
  for (const Batch& batch : batches) {
    most_rows = std::max(most_rows, batch.rows);
    fewest_rows = std::min(fewest_rows, batch.rows);
    options.most_positions = std::max(options.most_positions, batch.positions);
  }
  if (most_rows < 1) return refuse("there is nothing to evaluate on", "give some rows");
  const Schedule forwards =
      forwards_on(network.placement(), std::min(micro_batches, fewest_rows),
                  static_cast<std::int32_t>(batches.size()));
  auto executor = Executor::make(network, forwards, most_rows, options);
  if (!executor) return tl::unexpected(std::move(executor.error()));
  if (auto ran = (*executor)->run(batches); !ran) {
    return tl::unexpected(std::move(ran.error()));
  }
  const RunResult& result = (*executor)->result();
  Evaluation evaluation;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    evaluation.loss += result.step_loss[i] * batches[i].rows * batches[i].positions;
  }
  evaluation.loss /= static_cast<double>(result.rows);
  evaluation.correct =
      static_cast<double>(result.correct) / static_cast<double>(result.rows);
  return evaluation;
}

}  // namespace pipeline

#include "runtime/trainer.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "data/split.hpp"

namespace pipeline {
namespace {

/// Batches of `rows` rows in the stored order; the last one may be shorter.
std::vector<Batch> batches_of(const ImageSet& set, std::int32_t rows) {
  std::vector<Batch> batches;
  for (std::int32_t begin = 0; begin < set.count; begin += rows) {
    batches.push_back(
        {set.pixels.data() + std::ptrdiff_t{begin} * FashionMnist::kPixels,
         set.labels.data() + begin, std::min(rows, set.count - begin)});
  }
  return batches;
}

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

Expected<Schedule> schedule_of(const TrainingOptions& options, std::int32_t steps) {
  Request request = options.request;
  request.shape.devices = options.devices;
  request.shape.micro_batches = options.micro_batches;
  request.shape.steps = steps;
  return options.generator != nullptr ? options.generator(request)
                                      : generate(options.schedule, request);
}

bool asked_to_stop(const TrainingOptions& options) {
  return options.stop != nullptr && options.stop->load();
}

/// Runs one epoch after another on executors that share the network: one for as many
/// steps as are issued in one go, and one for those left over at the end.
class Training {
 public:
  Training(PlacedNetwork& network, const TrainingOptions& options,
           std::vector<Batch> epoch)
      : network_(network), options_(options), epoch_(std::move(epoch)) {}

  Expected<void> run(TrainingReport& report) {
    const auto steps = static_cast<std::int32_t>(epoch_.size()) * options_.epochs;
    const std::int32_t a_run = std::min(options_.steps_a_run, steps);
    for (std::int32_t done = 0; done < steps;) {
      if (asked_to_stop(options_)) {
        report.interrupted = true;
        return {};
      }
      const std::int32_t now = std::min(a_run, steps - done);
      if (auto ran = run_steps(done, now, report); !ran) return ran;
      done += now;
      if (options_.progress) {
        options_.progress({done, steps, report.step_loss.back()});
      }
    }
    return {};
  }

 private:
  Expected<void> run_steps(std::int32_t first, std::int32_t count,
                           TrainingReport& report) {
    if (executor_ == nullptr || executor_->schedule().steps != count) {
      auto schedule = schedule_of(options_, count);
      if (!schedule) return tl::unexpected(std::move(schedule.error()));
      executor_.reset();  // its memory before the next one's
      auto made =
          Executor::make(network_, *schedule, epoch_.front().rows, options_.executor);
      if (!made) return tl::unexpected(std::move(made.error()));
      executor_ = std::move(*made);
    }
    std::vector<Batch> batches;
    for (std::int32_t i = first; i < first + count; ++i) {
      batches.push_back(epoch_[static_cast<std::size_t>(i) % epoch_.size()]);
    }
    if (auto ran = executor_->run(batches, first); !ran) return ran;
    const RunResult& result = executor_->result();
    report.step_loss.insert(report.step_loss.end(), result.step_loss.begin(),
                            result.step_loss.end());
    if (count == std::min(options_.steps_a_run,
                          static_cast<std::int32_t>(epoch_.size()) * options_.epochs)) {
      report.schedule = executor_->schedule();
      report.last_run = result;
    }
    return {};
  }

  PlacedNetwork& network_;
  const TrainingOptions& options_;
  std::vector<Batch> epoch_;
  std::unique_ptr<Executor> executor_;
};

std::optional<Error> fault_of_width(std::int32_t inputs) {
  if (inputs == FashionMnist::kPixels) return std::nullopt;
  return Error{"the network takes " + std::to_string(inputs) +
                   " inputs, an image has " + std::to_string(FashionMnist::kPixels) +
                   " pixels",
               "begin the network with a layer of as many inputs as pixels"};
}

std::optional<Error> fault_of(const TrainingOptions& options, const ImageSet& train) {
  if (options.batch_rows < 1 || options.epochs < 1 || options.steps_a_run < 1) {
    return Error{"training needs rows in a batch, epochs and steps, at least one each",
                 "give positive numbers"};
  }
  if (train.count < 1) return Error{"there are no images to train on", "give some"};
  const std::int32_t last = (train.count - 1) % options.batch_rows + 1;
  if (last < options.micro_batches) {
    return Error{"the last batch of an epoch has " + std::to_string(last) +
                     " rows, too few for " + std::to_string(options.micro_batches) +
                     " micro-batches",
                 "take another number of rows in a batch"};
  }
  return std::nullopt;
}

}  // namespace

Expected<TrainingReport> train(Platform& platform, const Network& network,
                               const ImageSet& train, const ImageSet& test,
                               const TrainingOptions& options) {
  if (auto fault = fault_of(options, train)) return tl::unexpected(std::move(*fault));
  const auto shape = schedule_of(options, 1);
  if (!shape) return tl::unexpected(shape.error());
  const auto split =
      options.split.empty()
          ? even_split(static_cast<std::int32_t>(network.size()), shape->stages())
          : Expected<LayerSplit>(options.split);
  if (!split) return tl::unexpected(split.error());
  auto placed = PlacedNetwork::place(platform, network, *split, shape->placement,
                                     options.seed, options.optimizer);
  if (!placed) return tl::unexpected(std::move(placed.error()));
  if (auto fault = fault_of_width((*placed)->stage(0).inputs())) {
    return tl::unexpected(std::move(*fault));
  }
  TrainingReport report;
  Training training(**placed, options, batches_of(train, options.batch_rows));
  if (auto ran = training.run(report); !ran) {
    return tl::unexpected(std::move(ran.error()));
  }
  report.digest = (*placed)->digest();
  if (report.interrupted) return report;
  auto accuracy = evaluate(**placed, test, options.batch_rows, options.micro_batches);
  if (!accuracy) return tl::unexpected(std::move(accuracy.error()));
  report.test_accuracy = *accuracy;
  return report;
}

Expected<double> evaluate(PlacedNetwork& network, const ImageSet& set,
                          std::int32_t batch_rows, std::int32_t micro_batches) {
  if (set.count < 1) return refuse("there are no images to evaluate on", "give some");
  if (auto fault = fault_of_width(network.stage(0).inputs())) {
    return tl::unexpected(std::move(*fault));
  }
  // As even as it goes, so that the last batch is not a small one.
  const std::int32_t steps = (set.count + batch_rows - 1) / batch_rows;
  const auto ranges = split_rows(set.count, steps);
  if (!ranges) return tl::unexpected(ranges.error());
  std::vector<Batch> batches;
  for (const RowRange& range : *ranges) {
    batches.push_back(
        {set.pixels.data() + std::ptrdiff_t{range.begin} * FashionMnist::kPixels,
         set.labels.data() + range.begin, range.rows()});
  }
  const Schedule forwards = forwards_on(
      network.placement(), std::min(micro_batches, ranges->back().rows()), steps);
  auto executor = Executor::make(network, forwards, ranges->front().rows());
  if (!executor) return tl::unexpected(std::move(executor.error()));
  if (auto ran = (*executor)->run(batches); !ran) {
    return tl::unexpected(std::move(ran.error()));
  }
  const RunResult& result = (*executor)->result();
  return static_cast<double>(result.correct) / static_cast<double>(result.rows);
}

}  // namespace pipeline

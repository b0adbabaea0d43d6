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
  const std::vector<Batch> epoch = batches_of(train, options.batch_rows);
  const auto loop = TrainingLoop::make(platform, network, options, epoch.front().rows);
  if (!loop) return tl::unexpected(loop.error());
  PlacedNetwork& placed = (*loop)->network();
  if (auto fault = fault_of_width(placed.stage(0).inputs())) {
    return tl::unexpected(std::move(*fault));
  }
  const std::int64_t steps = static_cast<std::int64_t>(epoch.size()) * options.epochs;
  const std::int64_t a_run = std::min<std::int64_t>(options.steps_a_run, steps);
  TrainingReport report;
  const auto ended = (*loop)->run(
      0, steps,
      [&](std::int64_t step) {
        return epoch[static_cast<std::size_t>(step) % epoch.size()];
      },
      [&](const RunDone& done) -> Expected<void> {
        const std::vector<double>& losses = done.result.step_loss;
        report.step_loss.insert(report.step_loss.end(), losses.begin(), losses.end());
        if (done.end - done.first == a_run) {
          report.schedule = done.schedule;
          report.last_run = done.result;
        }
        if (options.progress) {
          options.progress({static_cast<std::int32_t>(done.end),
                            static_cast<std::int32_t>(steps), losses.back()});
        }
        return {};
      });
  if (!ended) return tl::unexpected(ended.error());
  report.interrupted = !*ended;
  report.digest = placed.digest();
  if (report.interrupted) return report;
  const auto accuracy =
      evaluate(placed, test, options.batch_rows, options.micro_batches);
  if (!accuracy) return tl::unexpected(accuracy.error());
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
  const auto evaluation = evaluate(network, batches, micro_batches);
  if (!evaluation) return tl::unexpected(evaluation.error());
  return evaluation->correct;
}

}  // namespace pipeline

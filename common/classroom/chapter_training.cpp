#include "classroom/chapter_training.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "classroom/chapter_timing.hpp"
#include "classroom/console.hpp"
#include "device/device.hpp"
#include "runtime/executor.hpp"
#include "runtime/replay.hpp"
#include "schedule/generate.hpp"
#include "timeline/memory.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

constexpr std::int32_t kBatchRows = 384;
constexpr std::int32_t kEpochs = 2;
constexpr std::int32_t kTimedRows = 512;     // of one micro-batch, and at most
constexpr std::int32_t kTimedBatch = 16384;  // of all

/// A network on devices, with what it refers to.
struct Placed {
  Network network;
  std::unique_ptr<Platform> platform;
  std::unique_ptr<PlacedNetwork> on_devices;
};

Expected<Placed> place_book_network(const Placement& placement, Depth depth) {
  Placed placed;
  placed.network = book_network(depth);
  auto platform = make_platform(placement.devices);
  if (!platform) return tl::unexpected(platform.error());
  placed.platform = std::move(*platform);
  const auto split = book_split(placement.stages(), depth);
  if (!split) return tl::unexpected(split.error());
  auto on_devices = PlacedNetwork::place(*placed.platform, placed.network, *split,
                                         placement, /*seed=*/1);
  if (!on_devices) return tl::unexpected(on_devices.error());
  placed.on_devices = std::move(*on_devices);
  return placed;
}

/// Mean length of a stage's forwards.
std::vector<double> forward_means(const Schedule& schedule, const Timeline& timeline) {
  std::vector<double> sums(static_cast<std::size_t>(schedule.stages()), 0);
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    for (std::size_t i = 0; i < schedule.rows[d].size(); ++i) {
      const Action& action = schedule.rows[d][i].action;
      if (action.kind != ActionKind::Forward) continue;
      sums[static_cast<std::size_t>(action.stage)] +=
          timeline.spans[d][i].length() / schedule.total_micro_batches();
    }
  }
  return sums;
}

/// "784->256" for a linear layer, "relu" for one without weights.
std::string short_name(const Layer& layer) {
  if (layer.parameter_count() == 0)
    return layer.name().substr(0, layer.name().find(' '));
  return std::to_string(layer.inputs()) + "->" + std::to_string(layer.outputs());
}

TimedStep compare(Schedule schedule, Timeline predicted, Timeline measured) {
  TimedStep step;
  step.expected = measure(schedule, predicted);
  step.seen = measure(schedule, measured);
  step.forward_seconds = forward_means(schedule, measured);
  step.schedule = std::move(schedule);
  step.predicted = std::move(predicted);
  step.measured = std::move(measured);
  return step;
}

Request request_of(const TrainingPlan& plan, std::int32_t steps) {
  Request request;
  request.shape = {plan.devices, plan.micro_batches, steps, plan.global_norm};
  request.chunks = plan.chunks;
  request.group_size = plan.group_size;
  request.memory_limit = plan.memory_limit;
  return request;
}

Expected<Schedule> schedule_of(const TrainingPlan& plan, std::int32_t steps) {
  const Request request = request_of(plan, steps);
  return plan.generator != nullptr ? plan.generator(request)
                                   : generate(plan.schedule, request);
}

Expected<TrainingReport> train_by(const FashionMnist& data, const TrainingPlan& plan,
                                  Depth depth) {
  const auto platform = make_platform(plan.devices);
  if (!platform) return tl::unexpected(platform.error());
  const auto schedule = schedule_of(plan, 1);
  if (!schedule) return tl::unexpected(schedule.error());
  const auto split = book_split(schedule->stages(), depth);
  if (!split) return tl::unexpected(split.error());
  TrainingOptions options;
  options.request = request_of(plan, 1);
  options.schedule = plan.schedule;
  options.generator = plan.generator;
  options.devices = plan.devices;
  options.micro_batches = plan.micro_batches;
  options.split = *split;
  options.batch_rows = std::min(kBatchRows, data.train.count);
  options.epochs = kEpochs;
  options.optimizer.rate = plan.rate;
  // An asynchronous schedule runs empty at the end of each run.
  if (schedule->weights != WeightPolicy::Synchronous) options.steps_a_run = 16;
  options.progress = [&plan](const TrainingProgress& now) {
    show_status("training: " + plan.schedule + ", p=" + std::to_string(plan.devices) +
                ", m=" + std::to_string(plan.micro_batches) + ", step " +
                std::to_string(now.step) + " of " + std::to_string(now.steps));
  };
  return train(**platform, book_network(depth), data.train, data.test, options);
}

}  // namespace

Network book_network(Depth depth) {
  const int hidden = depth == Depth::Four ? 4 : 8;
  Network network;
  std::int32_t width = FashionMnist::kPixels;
  for (int i = 0; i < hidden; ++i) {
    const std::int32_t next = i % 2 == 0 ? 256 : 512;
    network.push_back(linear(width, next));
    network.push_back(relu(next));
    width = next;
  }
  network.push_back(linear(width, FashionMnist::kClasses));
  return network;
}

Expected<LayerSplit> book_split(std::int32_t stages, Depth depth) {
  const std::int32_t layers = depth == Depth::Four ? kMostStages : kMostStagesOfEight;
  const std::int32_t parts = (layers - 1) / 2;  // a linear layer and its ReLU
  if (stages < 1 || parts % stages != 0) return even_split(layers, stages);
  LayerSplit split;
  for (std::int32_t s = 0; s < stages; ++s) split.push_back(2 * s * (parts / stages));
  split.push_back(layers);
  return split;
}

Expected<FashionMnist> read_book_images(std::int32_t images) {
  show_status("reading the images");
  const std::int32_t rest = images % kBatchRows;
  const bool too_few = images > kBatchRows && rest < 64;
  auto data =
      read_fashion_mnist(fashion_mnist_folder(), too_few ? images - rest : images);
  // The full sets are 60 000 and 10 000.
  if (data) data->test.count = std::min(data->test.count, (images + 5) / 6);
  return data;
}

Expected<std::vector<TrainingRun>> train_book_network(
    const FashionMnist& data, const std::vector<TrainingPlan>& plans, Depth depth) {
  std::vector<TrainingRun> runs;
  for (const TrainingPlan& plan : plans) {
    const bool done = std::any_of(runs.begin(), runs.end(),
                                  [&](const auto& run) { return run.plan == plan; });
    if (done) continue;
    auto report = train_by(data, plan, depth);
    if (!report) return tl::unexpected(report.error());
    runs.push_back({plan, std::move(*report)});
  }
  return runs;
}

std::string how_trained(const FashionMnist& data) {
  return "Trained on " + std::to_string(data.train.count) +
         " images of Fashion-MNIST, " + std::to_string(kEpochs) +
         " epochs in batches of " +
         std::to_string(std::min(kBatchRows, data.train.count)) +
         ".\nA digest is 16 digits made of all bits of all weights:";
}

namespace {

std::int32_t copies_in(const TrainingRun& run) {
  return run.report.schedule.placement.copies();
}

}  // namespace

DigestComparison compare_with_one_device(const std::vector<TrainingRun>& runs) {
  DigestComparison all;
  std::vector<std::vector<std::string>> cells = {
      {"m", "schedule", "devices", "digest of the weights", "test accuracy"}};
  for (const TrainingRun& run : runs) {
    const TrainingPlan& plan = run.plan;
    char accuracy[16];
    std::snprintf(accuracy, sizeof accuracy, "%.2f %%", 100 * run.report.test_accuracy);
    cells.push_back({std::to_string(plan.micro_batches),
                     plan.devices > 1     ? plan.schedule
                     : copies_in(run) > 1 ? "one device, in halves"
                                          : "one device",
                     std::to_string(plan.devices), run.report.digest, accuracy});
    all.least_accuracy = std::min(all.least_accuracy, run.report.test_accuracy);
    if (plan.devices == 1) continue;
    ++all.runs;
    for (const TrainingRun& other : runs) {
      const bool alike = other.plan.micro_batches == plan.micro_batches &&
                         copies_in(other) == copies_in(run);
      if (other.plan.devices != 1 || !alike) continue;
      if (other.report.digest == run.report.digest) ++all.equal;
    }
  }
  all.table = format_table(cells, {0, 2, 4});
  return all;
}

void add_held_rows(ChapterReport& report, const TrainingReport& training,
                   const std::string& formula) {
  const Memory predicted = memory(training.schedule);
  for (std::size_t d = 0; d < predicted.peak_chunks.size(); ++d) {
    report.row("micro-batches held by device " + std::to_string(d) + ": " + formula,
               predicted.peak_chunks[d], training.last_run.peak_live[d]);
  }
}

namespace {

/// Times what is placed as each of the schedules wants it.
class StepTimer {
 public:
  StepTimer(const FashionMnist& data, Depth depth) : data_(data), depth_(depth) {}

  Expected<TimedStep> time(const TrainingPlan& plan, std::int32_t steps) {
    auto schedule = schedule_of(plan, steps);
    if (!schedule) return tl::unexpected(schedule.error());
    const std::int32_t all_rows = std::min(kTimedBatch, data_.train.count);
    const std::int32_t rows = std::min(kTimedRows, all_rows / plan.micro_batches);
    if (rows < 1) {
      return refuse(std::to_string(data_.train.count) + " images are too few for " +
                        std::to_string(plan.micro_batches) + " micro-batches",
                    "Take more images or fewer micro-batches.");
    }
    if (const auto placed = place(schedule->placement, rows); !placed) {
      return tl::unexpected(placed.error());
    }
    auto predicted = simulate(*schedule, all_alike(costs_));
    if (!predicted) return tl::unexpected(predicted.error());
    const std::vector<Batch> batches(
        static_cast<std::size_t>(steps),
        {data_.train.pixels.data(), data_.train.labels.data(),
         rows * plan.micro_batches});
    auto measured = time_schedule(*placed_.on_devices, *schedule, batches, costs_);
    if (!measured) return tl::unexpected(measured.error());
    return compare(std::move(*schedule), std::move(*predicted), std::move(*measured));
  }

 private:
  /// Schedules of one placement are timed on the same network, with the same costs.
  Expected<void> place(const Placement& placement, std::int32_t rows) {
    if (placed_.on_devices != nullptr && rows == rows_ &&
        placed_.on_devices->placement() == placement) {
      return {};
    }
    placed_.on_devices.reset();  // before the platform that it is on
    placed_ = {};
    auto placed = place_book_network(placement, depth_);
    if (!placed) return tl::unexpected(placed.error());
    placed_ = std::move(*placed);
    rows_ = rows;
    costs_ = measure_action_costs(*placed_.on_devices, rows);
    return {};
  }

  const FashionMnist& data_;
  Depth depth_;
  Placed placed_;
  std::int32_t rows_ = 0;  ///< of a micro-batch
  Costs costs_;
};

}  // namespace

Expected<std::vector<TimedStep>> time_book_steps(const FashionMnist& data,
                                                 const std::vector<TrainingPlan>& plans,
                                                 Depth depth, std::int32_t steps) {
  StepTimer timer(data, depth);
  std::vector<TimedStep> timed;
  for (const TrainingPlan& plan : plans) {
    show_status("timing a step, " + plan.schedule +
                ", p=" + std::to_string(plan.devices));
    auto step = timer.time(plan, steps);
    if (!step) return tl::unexpected(step.error());
    timed.push_back(std::move(*step));
  }
  return timed;
}

Expected<std::vector<TimedStep>> time_book_steps(
    const FashionMnist& data, const std::vector<std::string>& schedules,
    std::int32_t devices, std::int32_t micro_batches) {
  std::vector<TrainingPlan> plans;
  plans.reserve(schedules.size());
  for (const std::string& name : schedules) {
    plans.push_back({name, devices, micro_batches});
  }
  return time_book_steps(data, plans);
}

Expected<TimedStep> time_book_step(const FashionMnist& data,
                                   const std::string& schedule, std::int32_t devices,
                                   std::int32_t micro_batches) {
  auto steps = time_book_steps(data, std::vector{schedule}, devices, micro_batches);
  if (!steps) return tl::unexpected(steps.error());
  return std::move(steps->front());
}

Expected<std::string> stage_table(std::int32_t stages) {
  const auto split = book_split(stages);
  if (!split) return tl::unexpected(split.error());
  const Network network = book_network();
  std::vector<std::vector<std::string>> cells = {{"device", "layers", "weights"}};
  for (std::size_t s = 0; s + 1 < split->size(); ++s) {
    std::string layers;
    std::size_t weights = 0;
    for (std::int32_t i = (*split)[s]; i < (*split)[s + 1]; ++i) {
      const Layer& layer = *network[static_cast<std::size_t>(i)];
      layers += (layers.empty() ? "" : ", ") + short_name(layer);
      weights += layer.parameter_count();
    }
    cells.push_back({std::to_string(s), layers, std::to_string(weights)});
  }
  return format_table(cells, {2});
}

std::string how_timed(const TimedStep& step) {
  return how_timed(step.measured.level, step.schedule.devices());
}

}  // namespace pipeline

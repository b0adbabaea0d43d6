// Chapter 11: what changes when a mini-batch is cut into micro-batches, and what does
// not: gradients, batch norm and its running statistics, means, dropout.
//   ./workbook run 11 -m 8
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>

#include "classroom/chapter_program.hpp"
#include "classroom/chapter_training.hpp"
#include "classroom/console.hpp"
#include "data/split.hpp"
#include "layers/dropout.hpp"
#include "layers/pooling.hpp"
#include "layers/residual_net.hpp"
#include "runtime/executor.hpp"
#include "runtime/trainer.hpp"
#include "schedule/generate.hpp"

namespace {

using namespace pipeline;

constexpr std::int32_t kLayers = 20;  // of the residual net

const ChapterInfo kChapter = {
    .number = "11",
    .name = "batch_semantics",
    .question = "What does cutting a batch into micro-batches change?",
    .devices = {2, kLayers},
    .micro_batches = {8, 16},
    .images = {8192, 60000},
    .draws = false,
};

constexpr std::int32_t kBatchRows = 64;
constexpr std::int32_t kEpochs = 2;

/// 1, 2, 4, … up to m.
std::vector<std::int32_t> numbers_of_micro_batches(std::int32_t m) {
  std::vector<std::int32_t> all;
  for (std::int32_t k = 1; k < m; k *= 2) all.push_back(k);
  all.push_back(m);
  return all;
}

Batch rows_of(const ImageSet& set, std::int32_t first, std::int32_t rows) {
  return {set.pixels.data() + std::ptrdiff_t{first} * FashionMnist::kPixels,
          set.labels.data() + first, rows};
}

/// A network on one device that takes m micro-batches one after the other.
class OneDevice {
 public:
  static Expected<std::unique_ptr<OneDevice>> make(const Network& network,
                                                   std::int32_t m, std::int32_t rows,
                                                   float rate = 0) {
    auto one = std::unique_ptr<OneDevice>(new OneDevice);
    auto platform = make_platform(1);
    if (!platform) return tl::unexpected(platform.error());
    one->platform_ = std::move(*platform);
    const auto schedule = one_f_one_b({.devices = 1, .micro_batches = m});
    if (!schedule) return tl::unexpected(schedule.error());
    Optimizer optimizer;
    optimizer.rate = rate;
    const LayerSplit split = {0, static_cast<std::int32_t>(network.size())};
    auto placed = PlacedNetwork::place(*one->platform_, network, split,
                                       schedule->placement, /*seed=*/1, optimizer);
    if (!placed) return tl::unexpected(placed.error());
    one->placed_ = std::move(*placed);
    auto executor = Executor::make(*one->placed_, *schedule, rows);
    if (!executor) return tl::unexpected(executor.error());
    one->executor_ = std::move(*executor);
    return one;
  }

  Expected<void> step(const Batch& batch) { return executor_->run({&batch, 1}); }
  /// Of the last step: the mean over its rows.
  double loss() const { return executor_->result().step_loss.front(); }
  /// After the first step the momentum of SGD is its gradient.
  std::vector<float> gradient() { return placed_->moments(); }
  /// Running means of the first batch norm first.
  std::vector<float> state() { return placed_->state(); }

 private:
  OneDevice() = default;
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<PlacedNetwork> placed_;
  std::unique_ptr<Executor> executor_;
};

double norm(const std::vector<float>& values) {
  double squares = 0;
  for (const float v : values) squares += static_cast<double>(v) * v;
  return std::sqrt(squares);
}

/// ||a - b|| / ||b||.
double distance(std::vector<float> a, const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return norm(a) / norm(b);
}

// [networks]
/// 64 hidden units, with or without dropout; nothing in it looks at other rows.
Network row_by_row(bool with_dropout) {
  Network network;
  network.push_back(linear(FashionMnist::kPixels, 64));
  network.push_back(relu(64));
  if (with_dropout) network.push_back(dropout(64, 0.5F, /*layer=*/2));
  network.push_back(linear(64, FashionMnist::kClasses));
  return network;
}

constexpr std::int32_t kChannels = 16;

/// One convolution and batch norm, enough to watch running statistics.
Network one_norm(BatchNormMode mode) {
  const ImageShape image = {28, 28, 1};
  const ImageShape inside = convolved(image, kChannels, 2);
  Network network;
  network.push_back(convolution(image, kChannels, {.stride = 2, .bias = false}));
  network.push_back(batch_norm(inside, mode));
  network.push_back(global_average_pool(inside));
  network.push_back(linear(kChannels, FashionMnist::kClasses));
  return network;
}
// [networks]

// [gradients]
/// By how much the gradient of a batch in m micro-batches differs from that of the
/// whole batch: ||g_m - g_1|| / ||g_1||, for each m.
Expected<std::vector<double>> gradient_differences(
    const Network& network, const Batch& batch, const std::vector<std::int32_t>& ms) {
  std::vector<double> differences;
  std::vector<float> whole;
  for (const std::int32_t m : ms) {
    auto one = OneDevice::make(network, m, batch.rows);
    if (!one) return tl::unexpected(one.error());
    if (auto ran = (*one)->step(batch); !ran) return tl::unexpected(ran.error());
    if (m == 1) whole = (*one)->gradient();
    differences.push_back(distance((*one)->gradient(), whole));
  }
  return differences;
}
// [gradients]

/// Where rounding ends: single precision has seven digits.
constexpr double kRounding = 1e-4;

std::string short_number(double value) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1e", value);
  return value == 0 ? "0" : text;
}

/// The table of gradients, and three rows: for how many m > 1 they are those of m = 1.
Expected<void> add_gradients(ChapterReport& report, const ImageSet& images,
                             const std::vector<std::int32_t>& ms) {
  const Batch batch = rows_of(images, 0, kBatchRows - 1);
  const auto plain = gradient_differences(row_by_row(false), batch, ms);
  if (!plain) return tl::unexpected(plain.error());
  const auto dropped = gradient_differences(row_by_row(true), batch, ms);
  if (!dropped) return tl::unexpected(dropped.error());
  const auto normed = gradient_differences(residual_net({}), batch, ms);
  if (!normed) return tl::unexpected(normed.error());

  std::vector<std::vector<std::string>> cells = {
      {"m", "linear and ReLU", "with dropout", "with batch norm"}};
  for (std::size_t i = 0; i < ms.size(); ++i) {
    cells.push_back({std::to_string(ms[i]), short_number((*plain)[i]),
                     short_number((*dropped)[i]), short_number((*normed)[i])});
  }
  report.say(
      "One step on a batch of " + std::to_string(batch.rows) +
      " images, from the same weights: by how much does the gradient differ from that "
      "of m=1, relative to its norm?");
  report.show(format_table(cells, {0, 1, 2, 3}));
  const auto equal = [](const std::vector<double>& differences) {
    return static_cast<double>(std::count_if(differences.begin() + 1, differences.end(),
                                             [](double d) { return d < kRounding; }));
  };
  const auto others = static_cast<double>(ms.size() - 1);
  report.headline("m > 1 with the gradient of m=1", others, equal(*plain));
  report.row("the same, with dropout", others, equal(*dropped));
  report.row("the same, with batch norm", 0, equal(*normed));
  return {};
}

// [ragged]
/// The loss of ten images from those of micro-batches of 3, 3, 3 and 1.
Expected<void> add_means(ChapterReport& report, const ImageSet& images) {
  const std::vector<RowRange> parts = {{0, 3}, {3, 6}, {6, 9}, {9, 10}};
  const Network network = row_by_row(false);
  const auto loss_of = [&](RowRange part) -> Expected<double> {
    auto one = OneDevice::make(network, 1, part.rows());
    if (!one) return tl::unexpected(one.error());
    const auto ran = (*one)->step(rows_of(images, part.begin, part.rows()));
    if (!ran) return tl::unexpected(ran.error());
    return (*one)->loss();
  };
  const auto whole = loss_of({0, 10});
  if (!whole) return tl::unexpected(whole.error());
  std::vector<double> means;
  for (const RowRange& part : parts) {
    const auto mean = loss_of(part);
    if (!mean) return tl::unexpected(mean.error());
    means.push_back(*mean);
  }
  const double plain = std::accumulate(means.begin(), means.end(), 0.0) / 4;
  report.row("loss of 3+3+3+1 rows, weighted by rows", *whole,
             mean_of_micro_batches(means, parts));
  report.row("the same as the plain mean of four means", *whole, plain);
  return {};
}
// [ragged]

// [running]
/// The running means of the channels after each of `steps` steps. The weights do not
/// change: the rate is 0.
Expected<std::vector<std::vector<float>>> running_means(const ImageSet& images,
                                                        BatchNormMode mode,
                                                        std::int32_t m,
                                                        std::int32_t rows,
                                                        std::int32_t steps) {
  const Network network = one_norm(mode);
  auto one = OneDevice::make(network, m, rows);
  if (!one) return tl::unexpected(one.error());
  const std::int32_t batches = images.count / rows;
  std::vector<std::vector<float>> means;
  for (std::int32_t step = 0; step < steps; ++step) {
    const Batch batch = rows_of(images, step % batches * rows, rows);
    if (auto ran = (*one)->step(batch); !ran) return tl::unexpected(ran.error());
    means.push_back((*one)->state());
    means.back().resize(kChannels);
  }
  return means;
}
// [running]

/// What one step leaves of running means that began as 0, in shares of what the batch
/// is like. All micro-batches are the same eight images, so that no chance is in it.
Expected<double> taken_in(const ImageSet& images, BatchNormMode mode, std::int32_t m) {
  ImageSet copies;
  const Batch eight = rows_of(images, 0, 8);
  for (std::int32_t k = 0; k < m; ++k) {
    copies.pixels.insert(copies.pixels.end(), eight.inputs,
                         eight.inputs + std::ptrdiff_t{8} * FashionMnist::kPixels);
    copies.labels.insert(copies.labels.end(), eight.labels, eight.labels + 8);
  }
  copies.count = 8 * m;
  const auto after = running_means(copies, mode, m, copies.count, 1);
  if (!after) return tl::unexpected(after.error());
  // One micro-batch alone leaves a tenth.
  const auto tenth = running_means(copies, mode, 1, 8, 1);
  if (!tenth) return tl::unexpected(tenth.error());
  return norm(after->front()) / (10 * norm(tenth->front()));
}

/// By how much running means miss what all batches are like, over the later steps: the
/// root of the mean square.
double error_of(const std::vector<std::vector<float>>& means, std::size_t first,
                const std::vector<float>& truth) {
  double squares = 0;
  for (std::size_t step = first; step < means.size(); ++step) {
    squares += std::pow(distance(means[step], truth), 2);
  }
  return std::sqrt(squares / static_cast<double>(means.size() - first));
}

/// Of statistics that every micro-batch of four images moves, over that of deferred
/// ones, while all images come by once.
Expected<double> ratio_of_errors(const ImageSet& images, std::int32_t m) {
  constexpr std::int32_t kSettled = 64;  // steps, until where they began is forgotten
  const std::int32_t rows = std::min(4 * m, images.count);
  const std::int32_t steps = kSettled + images.count / rows;
  const auto often =
      running_means(images, BatchNormMode::PerMicroBatch, m, rows, steps);
  if (!often) return tl::unexpected(often.error());
  const auto once = running_means(images, BatchNormMode::Deferred, m, rows, steps);
  if (!once) return tl::unexpected(once.error());
  // What the batches were like: running = 0.9 before + 0.1 batch, solved for the batch.
  std::vector<float> truth(kChannels, 0.0F);
  for (std::size_t step = kSettled; step < once->size(); ++step) {
    for (std::size_t c = 0; c < truth.size(); ++c) {
      const float batch = 10 * (*once)[step][c] - 9 * (*once)[step - 1][c];
      truth[c] += batch / static_cast<float>(once->size() - kSettled);
    }
  }
  return error_of(*often, kSettled, truth) / error_of(*once, kSettled, truth);
}

Expected<void> add_running(ChapterReport& report, const ImageSet& images,
                           std::int32_t m) {
  const auto often = taken_in(images, BatchNormMode::PerMicroBatch, m);
  if (!often) return tl::unexpected(often.error());
  const auto once = taken_in(images, BatchNormMode::Deferred, m);
  if (!once) return tl::unexpected(once.error());
  const auto errors = ratio_of_errors(images, m);
  if (!errors) return tl::unexpected(errors.error());
  const std::string at_m = ", m=" + std::to_string(m);
  report.row("running mean moved by a step: 1-0.9^m" + at_m, 1 - std::pow(0.9, m),
             *often);
  report.row("the same, deferred: 1-0.9", 0.1, *once);
  report.row("its error over that of deferred: sqrt(m)" + at_m, std::sqrt(m), *errors);
  return {};
}

/// How the residual net is trained.
struct Plan {
  std::int32_t m;
  BatchNormMode mode;
  std::int32_t devices;
};

struct Run {
  Plan plan;
  TrainingReport report;
};

Expected<Run> train_by(const FashionMnist& data, const Plan& plan) {
  const auto platform = make_platform(plan.devices);
  if (!platform) return tl::unexpected(platform.error());
  TrainingOptions options;
  options.schedule = "1f1b";
  options.devices = plan.devices;
  options.micro_batches = plan.m;
  options.batch_rows = kBatchRows;
  options.epochs = kEpochs;
  // Down to nothing at the end, so that the statistics come to rest with the weights.
  options.optimizer.decay_steps =
      std::int64_t{kEpochs} * (data.train.count / kBatchRows);
  options.progress = [&plan](const TrainingProgress& now) {
    show_status("training: p=" + std::to_string(plan.devices) +
                ", m=" + std::to_string(plan.m) + ", step " + std::to_string(now.step) +
                " of " + std::to_string(now.steps));
  };
  const Network network = residual_net({.batch_norm = plan.mode});
  auto report = train(**platform, network, data.train, data.test, options);
  if (!report) return tl::unexpected(report.error());
  return Run{plan, std::move(*report)};
}

Expected<void> add_training(ChapterReport& report, const FashionMnist& data,
                            const std::vector<std::int32_t>& ms, std::int32_t p) {
  // [plans]
  std::vector<Plan> plans;
  for (const std::int32_t m : ms) {
    plans.push_back({m, BatchNormMode::PerMicroBatch, 1});
    if (m > 1) plans.push_back({m, BatchNormMode::Deferred, 1});
  }
  if (p > 1) plans.push_back({ms.back(), BatchNormMode::Deferred, p});
  // [plans]
  std::vector<std::vector<std::string>> cells = {
      {"m", "running statistics", "devices", "digest of the weights", "test accuracy"}};
  std::string digest;  // of the m of the line before
  std::int32_t others = 0;
  std::int32_t equal = 0;
  double least = 1;
  std::int32_t m_before = 0;
  for (const Plan& plan : plans) {
    const auto run = train_by(data, plan);
    if (!run) return tl::unexpected(run.error());
    char accuracy[16];
    std::snprintf(accuracy, sizeof accuracy, "%.2f %%",
                  100 * run->report.test_accuracy);
    const bool deferred = plan.mode == BatchNormMode::Deferred;
    cells.push_back({std::to_string(plan.m), deferred ? "deferred" : "per micro-batch",
                     std::to_string(plan.devices), run->report.digest, accuracy});
    least = std::min(least, run->report.test_accuracy);
    if (plan.m == m_before) {
      ++others;
      equal += run->report.digest == digest ? 1 : 0;
    }
    report.level = run->report.last_run.timeline.level;
    m_before = plan.m;
    digest = run->report.digest;
  }
  report.say("A residual net trained on " + std::to_string(data.train.count) +
             " images of Fashion-MNIST, " + std::to_string(kEpochs) +
             " epochs in batches of " + std::to_string(kBatchRows) +
             ". A digest is 16 digits made of all bits of all weights:");
  report.show(format_table(cells, {0, 2}));
  report.row("runs with the weights of the first of their m", others, equal);
  report.row("test accuracy, %: at least 75", 75, 100 * least);
  return {};
}

Expected<ChapterReport> batch_semantics_chapter(const ChapterOptions& options) {
  // Whole batches, so that none is too small for m.
  const std::int32_t images = std::max(1, options.images / kBatchRows) * kBatchRows;
  auto data = read_book_images(images);
  if (!data) return tl::unexpected(data.error());
  const std::vector<std::int32_t> ms = numbers_of_micro_batches(options.micro_batches);

  ChapterReport report;
  if (auto done = add_gradients(report, data->train, ms); !done) {
    return tl::unexpected(done.error());
  }
  if (auto done = add_means(report, data->train); !done) {
    return tl::unexpected(done.error());
  }
  if (auto done = add_running(report, data->train, ms.back()); !done) {
    return tl::unexpected(done.error());
  }
  if (auto done = add_training(report, *data, ms, options.devices); !done) {
    return tl::unexpected(done.error());
  }
  report.try_next("./workbook run 11 -m 16: micro-batches of four images.");
  report.try_next("./workbook run 11 -p 20: a device for each layer, skips cut.");
  report.try_next("./workbook run 11 --images 60000: all images, some minutes.");
  report.try_next("./workbook run 12: a forward that runs twice.");
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_chapter(argc, argv, kChapter, batch_semantics_chapter);
}

// Chapter 05: a loop over batches of images whose iterations overlap (read, filter,
// write), and the same for the batches that a network is trained on.
//   ./workbook run 05 -m 8
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <thread>

#include "classroom/chapter_program.hpp"
#include "classroom/chapter_timing.hpp"
#include "classroom/chapter_training.hpp"
#include "classroom/console.hpp"
#include "data/batches.hpp"
#include "data/idx.hpp"
#include "data/image_filter.hpp"
#include "data/loop_pipeline.hpp"
#include "data/morphology_reference.hpp"
#include "runtime/replay.hpp"
#include "schedule/generate.hpp"
#include "timeline/median.hpp"
#include "timeline/metrics.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "05",
    .name = "loop_pipeline",
    .question = "What can a loop do while it reads and writes?",
    .devices = {3, 3},
    .micro_batches = {8, 64},
};

constexpr std::int32_t kSide = 28;
constexpr std::size_t kPixels = FashionMnist::kPixels;
constexpr std::int32_t kImages = 256;  // an item
constexpr int kRuns = 3;               // the median counts

// --- Images: read, filter, write -----------------------------------------------------

/// What a stage takes at least: the disk is slow on purpose, and who waits for it needs
/// no core.
struct Disk {
  double read_seconds = 0;   ///< an item
  double write_seconds = 0;  ///< an item
};

using Clock = std::chrono::steady_clock;

void wait_for_disk(Clock::time_point start, double seconds) {
  std::this_thread::sleep_until(start + std::chrono::duration_cast<Clock::duration>(
                                            std::chrono::duration<double>(seconds)));
}

/// The loop over the images of one file, with so many slots of buffers.
class ImageLoop {
 public:
  static Expected<ImageLoop> open(ImageFilter& filter, LoopShape shape, Disk disk,
                                  const std::string& output) {
    auto reader = IdxReader::open(
        fashion_mnist_file(fashion_mnist_folder(), "train-images-idx3-ubyte"), 3);
    if (!reader) return tl::unexpected(reader.error());
    const std::int32_t images = shape.items * kImages;
    if (reader->sizes() < std::vector<std::int32_t>{images, kSide, kSide}) {
      return refuse("there are fewer than " + std::to_string(images) + " images",
                    "take a smaller -m");
    }
    auto writer = IdxWriter::create(output, {images, kSide, kSide});
    if (!writer) return tl::unexpected(writer.error());
    return ImageLoop(filter, std::move(*reader), std::move(*writer), shape.tokens,
                     disk);
  }

  // [stages]
  /// The body of the loop in `parts` parts: read | filter | write, the last ones as one
  /// where there are fewer.
  std::vector<LoopStage> stages(std::int32_t parts) {
    std::vector<LoopStage> all = {
        {"read", [this](Token token) { return read(slot(token)); }},
        {"filter", [this](Token token) { return filter(slot(token)); }},
        {"write", [this](Token token) { return write(slot(token)); }}};
    while (static_cast<std::int32_t>(all.size()) > parts) {
      LoopStage last = std::move(all.back());
      all.pop_back();
      all.back().work = [first = std::move(all.back().work),
                         second = std::move(last.work)](Token token) {
        auto done = first(token);
        return done ? second(token) : done;
      };
    }
    return all;
  }
  // [stages]

  Expected<void> close() { return writer_.close(); }
  std::int64_t components() const { return components_; }

 private:
  struct Slot {
    std::vector<std::uint8_t> images = std::vector<std::uint8_t>(kImages * kPixels);
    std::vector<std::uint8_t> mask = std::vector<std::uint8_t>(kImages * kPixels);
    std::vector<std::int32_t> components = std::vector<std::int32_t>(kImages);
  };

  ImageLoop(ImageFilter& filter, IdxReader reader, IdxWriter writer,
            std::int32_t tokens, Disk disk)
      : filter_(&filter),
        reader_(std::move(reader)),
        writer_(std::move(writer)),
        slots_(static_cast<std::size_t>(tokens)),
        disk_(disk) {}

  Slot& slot(Token token) { return slots_[static_cast<std::size_t>(token.slot)]; }

  Expected<void> read(Slot& slot) {
    const auto start = Clock::now();
    auto done = reader_.read(slot.images);
    wait_for_disk(start, disk_.read_seconds);
    return done;
  }
  Expected<void> filter(Slot& slot) {
    filter_->run({slot.images.data(), kImages, kSide, kSide}, slot.mask.data(),
                 slot.components.data());
    return {};
  }
  Expected<void> write(Slot& slot) {
    const auto start = Clock::now();
    auto done = writer_.write(slot.mask);
    components_ += std::accumulate(slot.components.begin(), slot.components.end(),
                                   std::int64_t{0});
    wait_for_disk(start, disk_.write_seconds);
    return done;
  }

  ImageFilter* filter_;
  IdxReader reader_;
  IdxWriter writer_;
  std::vector<Slot> slots_;
  Disk disk_;
  std::int64_t components_ = 0;
};

using Runner = Expected<Timeline> (*)(std::span<const LoopStage>, LoopShape);

/// A file in the folder for such files, gone with this object.
class ScratchFile {
 public:
  ScratchFile() {
    std::error_code failed;
    auto folder = std::filesystem::temp_directory_path(failed);
    if (failed) folder = ".";
    path_ = folder / ("workbook_05_" + std::to_string(getpid()) + ".gz");
  }
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  std::string path() const { return path_.string(); }
  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

double makespan_of(const Timeline& timeline) {
  return timeline.spans.back().back().end;
}

/// What runs of the loop in one way came to.
struct LoopResult {
  Timeline timeline;  ///< of the run with the median makespan
  std::int64_t components = 0;
  std::int32_t runs = 0;
  std::int32_t same_file = 0;  ///< runs whose file is `expected`
};

/// Runs the loop `runs` times; where `expected` is empty, it becomes the first file.
Expected<LoopResult> run_loop(ImageFilter& filter, Runner runner, std::int32_t parts,
                              LoopShape shape, Disk disk, int runs,
                              std::string& expected) {
  const ScratchFile output;
  LoopResult result;
  std::vector<Timeline> timelines;
  std::vector<double> makespans;
  for (int run = 0; run < runs; ++run) {
    auto loop = ImageLoop::open(filter, shape, disk, output.path());
    if (!loop) return tl::unexpected(loop.error());
    auto timeline = runner(loop->stages(parts), shape);
    if (!timeline) return tl::unexpected(timeline.error());
    if (const auto closed = loop->close(); !closed) {
      return tl::unexpected(closed.error());
    }
    makespans.push_back(makespan_of(*timeline));
    timelines.push_back(std::move(*timeline));
    result.components = loop->components();
    const std::string file = output.bytes();
    if (expected.empty()) expected = file;
    result.runs += 1;
    result.same_file += file == expected ? 1 : 0;
  }
  result.timeline = std::move(timelines[median_index(makespans)]);
  return result;
}

/// The seconds of each stage for each item.
std::vector<std::vector<double>> seconds_of(const Timeline& timeline) {
  std::vector<std::vector<double>> seconds;
  for (const auto& row : timeline.spans) {
    seconds.emplace_back();
    for (const Span& span : row) seconds.back().push_back(span.length());
  }
  return seconds;
}

/// The median of each stage, for so many items.
std::vector<std::vector<double>> medians_of(const Timeline& timeline) {
  auto seconds = seconds_of(timeline);
  for (auto& row : seconds) row.assign(row.size(), median(row));
  return seconds;
}

/// The mean time between items that leave, over a whole number of rounds of the tokens.
double interval_of(const Timeline& timeline, std::int32_t tokens) {
  const auto& last = timeline.spans.back();
  const std::size_t gaps = (last.size() - 1) / static_cast<std::size_t>(tokens) *
                           static_cast<std::size_t>(tokens);
  if (gaps == 0) return 0;
  return (last.back().end - last[last.size() - 1 - gaps].end) /
         static_cast<double>(gaps);
}

/// How many components flood fill finds in the first images.
Expected<std::int64_t> components_by_flood_fill(std::int32_t images) {
  const auto file = read_idx(
      fashion_mnist_file(fashion_mnist_folder(), "train-images-idx3-ubyte"), 3, images);
  if (!file) return tl::unexpected(file.error());
  const FilterOptions options;
  const auto counts = reference::component_counts(reference::at_least(
      options.level,
      reference::top_hat(options.element, {file->bytes, images, kSide, kSide})));
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

// --- Batches: prepare, train ---------------------------------------------------------

constexpr std::int32_t kBatchRows = 512;
constexpr std::int32_t kSteps = 12;

/// Trains a network on opened images, a batch prepared in one stage and used in the
/// other.
class Trainee {
 public:
  static Expected<Trainee> make(const IdxFile& images, const IdxFile& labels,
                                std::int32_t tokens) {
    Trainee t;
    t.images_ = &images;
    t.labels_ = &labels;
    auto platform = make_platform(2);
    if (!platform) return tl::unexpected(platform.error());
    t.platform_ = std::move(*platform);
    auto order = BatchOrder::make(images.sizes[0], kBatchRows, /*seed=*/3);
    if (!order) return tl::unexpected(order.error());
    t.order_ = std::make_unique<BatchOrder>(std::move(*order));
    t.filter_ =
        std::make_unique<ImageFilter>(t.platform_->device(1), kBatchRows, kSide, kSide);
    t.slots_.resize(static_cast<std::size_t>(tokens));
    t.network_ = std::make_unique<Network>(book_network());
    const auto layers = static_cast<std::int32_t>(t.network_->size());
    auto placed = PlacedNetwork::place(*t.platform_, *t.network_, {0, layers},
                                       one_stage_per_device(1), /*seed=*/1);
    if (!placed) return tl::unexpected(placed.error());
    t.placed_ = std::move(*placed);
    auto executor = Executor::make(*t.placed_, *gpipe({1, 4}), kBatchRows);
    if (!executor) return tl::unexpected(executor.error());
    t.executor_ = std::move(*executor);
    return t;
  }

  // [batches]
  std::vector<LoopStage> stages() {
    return {{"prepare", [this](Token token) { return prepare(token); }},
            {"train", [this](Token token) { return train(token); }}};
  }

 private:
  /// Gathers the rows of a batch, opens their images, scales them to floats.
  Expected<void> prepare(Token token) {
    Slot& slot = slots_[static_cast<std::size_t>(token.slot)];
    slot.grey.clear();
    slot.labels.clear();
    for (const std::int32_t row : order_->batch(token.item)) {
      const auto image = images_->bytes.begin() + row * std::ptrdiff_t{kPixels};
      slot.grey.insert(slot.grey.end(), image, image + kPixels);
      slot.labels.push_back(labels_->bytes[static_cast<std::size_t>(row)]);
    }
    filter_->opening({slot.grey.data(), kBatchRows, kSide, kSide}, slot.grey.data());
    slot.inputs.resize(slot.grey.size());
    std::transform(slot.grey.begin(), slot.grey.end(), slot.inputs.begin(),
                   [](std::uint8_t grey) {
                     return (static_cast<float>(grey) / 255 - FashionMnist::kMean) /
                            FashionMnist::kDeviation;
                   });
    return {};
  }
  /// One step on a batch that is ready.
  Expected<void> train(Token token) {
    const Slot& slot = slots_[static_cast<std::size_t>(token.slot)];
    const Batch batch{slot.inputs.data(), slot.labels.data(), kBatchRows};
    return executor_->run({&batch, 1});
  }
  // [batches]

 public:
  Level level() const { return honest_level(*platform_); }
  std::string digest() { return placed_->digest(); }

 private:
  struct Slot {
    std::vector<std::uint8_t> grey;
    std::vector<float> inputs;
    std::vector<std::int32_t> labels;
  };

  const IdxFile* images_ = nullptr;
  const IdxFile* labels_ = nullptr;
  std::vector<Slot> slots_;
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<BatchOrder> order_;
  std::unique_ptr<ImageFilter> filter_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<PlacedNetwork> placed_;
  std::unique_ptr<Executor> executor_;
};

struct TrainingResult {
  Timeline alone;    ///< one after the other, the run with the median makespan
  Timeline overlap;  ///< the same of those that prepared meanwhile
  double alone_seconds = 0;
  double overlap_seconds = 0;
  std::int32_t runs = 0;
  std::int32_t same_weights = 0;  ///< as the first one
  Level level = Level::HostThreads;
};

/// Both ways in turn, each from the same starting weights.
Expected<TrainingResult> train_both_ways() {
  const std::string folder = fashion_mnist_folder();
  const auto images =
      read_idx(fashion_mnist_file(folder, "train-images-idx3-ubyte"), 3, 6000);
  if (!images) return tl::unexpected(images.error());
  const auto labels =
      read_idx(fashion_mnist_file(folder, "train-labels-idx1-ubyte"), 1);
  if (!labels) return tl::unexpected(labels.error());
  TrainingResult result;
  std::string weights;
  std::vector<Timeline> timelines[2];
  std::vector<double> makespans[2];
  constexpr LoopShape kShape = {kSteps, 2};
  for (int run = 0; run < 2 * kRuns; ++run) {
    auto trainee = Trainee::make(*images, *labels, kShape.tokens);
    if (!trainee) return tl::unexpected(trainee.error());
    const auto stages = trainee->stages();
    auto timeline = run % 2 == 0 ? run_one_after_another(stages, kShape)
                                 : run_loop_pipeline(stages, kShape);
    if (!timeline) return tl::unexpected(timeline.error());
    makespans[run % 2].push_back(makespan_of(*timeline));
    timelines[run % 2].push_back(std::move(*timeline));
    const std::string digest = trainee->digest();
    if (weights.empty()) weights = digest;
    result.runs += 1;
    result.same_weights += digest == weights ? 1 : 0;
    result.level = trainee->level();
  }
  result.alone = std::move(timelines[0][median_index(makespans[0])]);
  result.overlap = std::move(timelines[1][median_index(makespans[1])]);
  if (result.level == Level::Replay) {
    result.overlap = simulate_loop(seconds_of(result.alone), kShape.tokens);
  }
  result.alone_seconds = makespan_of(result.alone);
  result.overlap_seconds = makespan_of(result.overlap);
  return result;
}

// --- The page ------------------------------------------------------------------------

std::string figure(double value, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

Expected<ChapterReport> loop_pipeline(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  const std::int32_t m = options.micro_batches;
  // Whoever waits for the disk needs no core; the filter needs one, and one must be
  // left for the others' share of work.
  const bool on_the_clock = usable_cores() >= 2 || p == 1;
  const auto platform = make_platform(1);
  if (!platform) return tl::unexpected(platform.error());
  ImageFilter filter((*platform)->device(0), kImages, kSide, kSide);

  show_status("timing the filter");
  std::string file;
  const auto fast = run_loop(filter, run_one_after_another, 3, {m, 1}, {}, 1, file);
  if (!fast) return tl::unexpected(fast.error());
  const double t = median(seconds_of(fast->timeline)[1]);
  // [ways]
  // The disk takes half of the filter's time to read and three quarters to write.
  const Disk disk = {t / 2, 0.75 * t};
  const LoopShape shape = {m, p + 1};
  const auto by_turns =
      run_loop(filter, run_one_after_another, p, shape, disk, kRuns, file);
  if (!by_turns) return tl::unexpected(by_turns.error());
  const auto ours = run_loop(filter, run_loop_pipeline, p, shape, disk, kRuns, file);
  if (!ours) return tl::unexpected(ours.error());
  const auto tbb = run_loop(filter, run_loop_on_tbb, p, shape, disk, kRuns, file);
  if (!tbb) return tl::unexpected(tbb.error());
  // [ways]
  const auto alone = medians_of(by_turns->timeline);
  const auto measured_with = [&](const Timeline& clock, std::int32_t tokens) {
    if (on_the_clock) return clock;
    Timeline replayed = simulate_loop(seconds_of(by_turns->timeline), tokens);
    replayed.level = Level::Replay;
    return replayed;
  };
  const auto schedule = forward_only({p, m});
  if (!schedule) return tl::unexpected(schedule.error());
  const Timeline predicted = simulate_loop(alone, shape.tokens);
  const Timeline measured = measured_with(ours->timeline, shape.tokens);

  ChapterReport report;
  report.show("An item is " + std::to_string(kImages) + " images. Their filter takes " +
              figure(1e3 * t, "%.1f") + " ms. The disk is slow on purpose:\nit takes " +
              figure(1e3 * disk.read_seconds, "%.1f") + " ms to read them and " +
              figure(1e3 * disk.write_seconds, "%.1f") + " ms to write the result.\n");
  report.draw_both(
      "Device 0 reads, 1 filters, 2 writes; the forward of micro-batch 3 is "
      "what is done with item 3. (With two devices, the second filters and writes.)",
      *schedule, predicted, measured);
  double sum = 0;
  for (const auto& stage : alone) sum += stage.front();
  report.row("ms, one after the other: m sum t", 1e3 * m * sum,
             1e3 * makespan_of(by_turns->timeline));
  report.headline("ms, overlapped: sum t + (m-1) max t", 1e3 * makespan_of(predicted),
                  1e3 * makespan_of(measured));
  report.row("ms, overlapped by oneTBB", 1e3 * makespan_of(predicted),
             1e3 * makespan_of(measured_with(tbb->timeline, shape.tokens)));
  std::int32_t same = by_turns->same_file + ours->same_file + tbb->same_file;
  std::int32_t runs = by_turns->runs + ours->runs + tbb->runs;
  for (std::int32_t tokens = 1; tokens <= 3; ++tokens) {
    show_status("timing " + std::to_string(tokens) + " tokens");
    const auto with =
        run_loop(filter, run_loop_pipeline, p, {m, tokens}, disk, 1, file);
    if (!with) return tl::unexpected(with.error());
    std::string what = "ms apart, " + std::to_string(tokens);
    what += tokens == 1 ? " token" : " tokens";
    what += ": max(max t, sum t/" + std::to_string(tokens) + ")";
    report.row(what, 1e3 * interval_of(simulate_loop(alone, tokens), tokens),
               1e3 * interval_of(measured_with(with->timeline, tokens), tokens));
    same += with->same_file;
    runs += with->runs;
  }
  show_status("counting by flood fill");
  const auto flood = components_by_flood_fill(m * kImages);
  if (!flood) return tl::unexpected(flood.error());
  report.row("components: by flood fill, by propagation", static_cast<double>(*flood),
             static_cast<double>(ours->components));
  report.row("runs that wrote the same file", runs, same);

  show_status("training");
  const auto training = train_both_ways();
  if (!training) return tl::unexpected(training.error());
  const auto each = medians_of(training->alone);
  const std::string steps = "ms of " + std::to_string(kSteps) + " steps, ";
  report.row(steps + "prepared before each: m sum t",
             1e3 * kSteps * (each[0][0] + each[1][0]), 1e3 * training->alone_seconds);
  report.row(steps + "prepared meanwhile", 1e3 * makespan_of(simulate_loop(each, 2)),
             1e3 * training->overlap_seconds);
  report.row("runs that trained the same weights", training->runs,
             training->same_weights);
  report.level = measured.level;
  report.level_note =
      on_the_clock
          ? "One stage computes and the others wait for the disk most of the time; "
            "times are from the clock." +
                other_work()
          : "There is one core for all stages. So each was timed alone, and the loop "
            "simulated with these times.";
  report.try_next(
      "./workbook run 05 -m 32: how close does the loop come to max t an "
      "item?");
  report.try_next(
      "./workbook run 05 -p 2: one worker reads, one does the rest. Which "
      "stage sets the pace now?");
  report.try_next("./workbook check 05: a loop's time, its tokens, and its order.");
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_chapter(argc, argv, kChapter, loop_pipeline);
}

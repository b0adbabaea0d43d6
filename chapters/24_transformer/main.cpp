// Chapter 24: a transformer learns to write from a text, its blocks laid on a pipeline
// of devices; stopped, it goes on from a checkpoint, on any other pipeline.
//   ./workbook run 24 -p 2 --schedule zb-h1
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "classroom/chapter_program.hpp"
#include "classroom/chapter_timing.hpp"
#include "classroom/console.hpp"
#include "classroom/numbers.hpp"
#include "runtime/digest.hpp"
#include "runtime/generation.hpp"
#include "runtime/replay.hpp"
#include "runtime/text_trainer.hpp"
#include "schedule/numbers.hpp"
#include "timeline/memory.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace {

using namespace pipeline;
namespace fs = std::filesystem;

std::atomic<bool> stop = false;

const ChapterInfo kChapter = {
    .number = "24",
    .name = "transformer",
    .question = "Does all of it together train a real model?",
    .devices = {2, 64},
    .micro_batches = {4, 64},
    .own = {{"--text", "Text to learn from; the King James Bible unless given", "FILE"},
            {"--schedule", "By which to train; 1f1b unless given", "NAME"},
            {"--steps", "Steps of training; 256 unless given"},
            {"--samples", "Windows of text in a step; 8 unless given"},
            {"--width", "Columns of the residual stream; 256 unless given"},
            {"--heads", "Heads of attention, which divide the width; 8 unless given"},
            {"--blocks", "Blocks of attention and MLP; 8 unless given"},
            {"--context", "Bytes of a window; 128 unless given"},
            {"--rate", "Highest rate of learning; 0.001 unless given", "X"},
            {"--seed", "Of weights, windows and what is written; 1 unless given"},
            {"--checkpoint", "Keep checkpoints here, and go on from the newest one",
             "DIR"},
            {"--generate", "Bytes to write at the end; 200 unless given"},
            {"--prompt", "What they follow; 'And God said' unless given", "TEXT"}},
    .stop = &stop,
};

// --- What the reader asks for --------------------------------------------------------

/// Reads this chapter's own options. The first that is wrong is kept.
class Reader {
 public:
  explicit Reader(const ChapterOptions& options) : typed_(options.own) {}

  std::string text(const std::string& name, const std::string& usual) const {
    const auto found = typed_.find(name);
    return found == typed_.end() ? usual : found->second;
  }
  std::int32_t count(const std::string& name, std::int32_t usual, std::int32_t least,
                     std::int32_t most) {
    const auto found = typed_.find(name);
    if (found == typed_.end()) return usual;
    return noted(parse_count(name, found->second, least, most), usual);
  }
  float amount(const std::string& name, float usual) {
    const auto found = typed_.find(name);
    if (found == typed_.end()) return usual;
    return noted(parse_amount(name, found->second).map([](double value) {
      return static_cast<float>(value);
    }),
                 usual);
  }
  const std::optional<Error>& fault() const { return fault_; }

 private:
  template <typename T>
  T noted(const Expected<T>& read, T usual) {
    if (read) return *read;
    if (!fault_) fault_ = read.error();
    return usual;
  }

  const std::map<std::string, std::string>& typed_;
  std::optional<Error> fault_;
};

struct Plan {
  Corpus corpus;
  TransformerShape shape;
  TextTrainingOptions training;
  bool named = false;  ///< the reader said where checkpoints go
  GenerationOptions generation;

  std::int64_t tokens() const { return std::int64_t{training.samples} * shape.context; }
};

/// Whole blocks to a stage, so that all cost about the same; where there are more
/// stages than blocks, layers as even as it goes.
Expected<LayerSplit> by_blocks(const TransformerShape& shape, std::int32_t stages) {
  constexpr std::int32_t kLayers = 8;  // of a block
  const std::int32_t layers = 1 + kLayers * shape.blocks + 2;
  if (stages > shape.blocks) return even_split(layers, stages);
  auto split = even_split(shape.blocks, stages);
  if (!split) return split;
  for (std::int32_t& first : *split) first = first == 0 ? 0 : 1 + kLayers * first;
  split->back() = layers;
  return split;
}

Request request_of(const TextTrainingOptions& training) {
  Request request;
  request.shape = {training.devices, training.micro_batches, 1, true};
  return request;
}

/// As `plan` trains, but by another schedule on so many devices.
Expected<TextTrainingOptions> laid_out(const Plan& plan, const std::string& schedule,
                                       std::int32_t devices) {
  TextTrainingOptions training = plan.training;
  training.schedule = schedule;
  training.devices = devices;
  const auto shape = generate(schedule, request_of(training));
  if (!shape) return tl::unexpected(shape.error());
  if (!shape->training) {
    return refuse(schedule + " runs no backwards, so that it trains nothing",
                  "Name another --schedule.");
  }
  auto split = by_blocks(plan.shape, shape->stages());
  if (!split) return tl::unexpected(std::move(split.error()));
  training.split = std::move(*split);
  return training;
}

/// Beside the program, one for each training: what is interrupted goes on when it is
/// asked for again.
std::string usual_folder(const Plan& plan) {
  std::error_code unknown;
  fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  if (unknown) program = "ch24";
  const TransformerShape& shape = plan.shape;
  std::string asked = plan.corpus.name + " " + std::to_string(plan.corpus.text.size());
  for (const std::int64_t number :
       {std::int64_t{shape.width}, std::int64_t{shape.heads},
        std::int64_t{shape.blocks}, std::int64_t{shape.context},
        std::int64_t{plan.training.samples}, plan.training.steps,
        static_cast<std::int64_t>(plan.training.seed)}) {
    asked += " " + std::to_string(number);
  }
  asked += " " + std::to_string(plan.training.optimizer.rate);
  return program.string() + ".unfinished-" + digest_of(asked);
}

/// A folder that cannot be written is refused before the training, not in it.
Expected<void> make_folder(const std::string& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (!failed && access(path.c_str(), W_OK) == 0) return {};
  return refuse("checkpoints cannot be kept in '" + path +
                    "': " + (failed ? failed.message() : "it is not yours to change"),
                "Name a folder of your own by --checkpoint.");
}

Expected<Plan> read_plan(const ChapterOptions& options) {
  Reader reader(options);
  Plan plan;
  plan.shape.width = reader.count("--width", 256, 1, 4096);
  plan.shape.heads = reader.count("--heads", 8, 1, 256);
  plan.shape.blocks = reader.count("--blocks", 8, 1, 96);
  plan.shape.context = reader.count("--context", 128, 4, 4096);
  TextTrainingOptions& training = plan.training;
  training.steps = reader.count("--steps", 256, 1, 1'000'000);
  training.samples = reader.count("--samples", 8, 1, 4096);
  training.micro_batches = options.micro_batches;
  training.seed = static_cast<std::uint64_t>(reader.count("--seed", 1, 0, 1 << 30));
  training.optimizer.rate = reader.amount("--rate", 1e-3F);
  training.optimizer.least_rate = training.optimizer.rate / 10;
  training.optimizer.warmup_steps = (training.steps + 7) / 8;
  training.optimizer.decay_steps = training.steps;
  training.log_every = (training.steps + 7) / 8;
  training.checkpoint_every = std::clamp<std::int64_t>(training.steps / 4, 1, 100);
  training.stop = &stop;
  plan.generation.bytes = reader.count("--generate", 200, 0, 1'000'000);
  plan.generation.prompt = reader.text("--prompt", "And God said");
  plan.generation.seed = training.seed;
  plan.generation.stop = &stop;
  if (reader.fault()) return tl::unexpected(*reader.fault());
  if (plan.generation.prompt.empty()) {
    return refuse("--prompt is empty", "Give at least one byte to go on from.");
  }
  if (training.micro_batches > training.samples) {
    return refuse(counted(training.samples, "window") + " of text are too few for " +
                      std::to_string(training.micro_batches) + " micro-batches",
                  "Give more --samples, or fewer micro-batches.");
  }
  if (const auto network = transformer(plan.shape); !network) {
    return tl::unexpected(network.error());
  }
  auto placed = laid_out(plan, reader.text("--schedule", "1f1b"), options.devices);
  if (!placed) return tl::unexpected(std::move(placed.error()));
  training = std::move(*placed);
  auto corpus = read_corpus(reader.text("--text", ""));
  if (!corpus) return tl::unexpected(std::move(corpus.error()));
  plan.corpus = std::move(*corpus);
  if (auto fits = check_length(plan.corpus, plan.shape.context); !fits) {
    return tl::unexpected(std::move(fits.error()));
  }
  training.checkpoints = reader.text("--checkpoint", "");
  plan.named = !training.checkpoints.empty();
  if (!plan.named) training.checkpoints = usual_folder(plan);
  if (auto made = make_folder(training.checkpoints); !made) {
    return tl::unexpected(std::move(made.error()));
  }
  return plan;
}

// --- Training ------------------------------------------------------------------------

Expected<TextTrainingReport> train_on(const Plan& plan,
                                      const TextTrainingOptions& options) {
  const auto platform = make_platform(options.devices);
  if (!platform) return tl::unexpected(platform.error());
  return train_text(**platform, plan.shape, plan.corpus, options);
}

Error interrupted_at(const Plan& plan, std::int64_t step) {
  return {"interrupted after step " + std::to_string(step) + " of " +
              std::to_string(plan.training.steps) + ", saved in " +
              plan.training.checkpoints,
          "The same command goes on from there."};
}

// [train]
/// The whole training, or what is left of it.
Expected<TextTrainingReport> train(const Plan& plan) {
  TextTrainingOptions options = plan.training;
  options.progress = [](const TextProgress& now) {
    show_status("step " + std::to_string(now.step) + " of " +
                std::to_string(now.steps) + ", loss " + number(now.loss, 3) + ", " +
                number(now.tokens_per_second, 0) + " tokens/s, " +
                number(now.seconds_left, 0) + " s left");
  };
  auto report = train_on(plan, options);
  if (report && report->interrupted) {
    return tl::unexpected(interrupted_at(plan, report->steps));
  }
  return report;
}
// [train]

/// Text in a frame, of what bytes can be shown.
std::string in_frame(const std::string& text) {
  constexpr std::size_t kColumns = 76;
  std::string framed;
  std::string line = "│ ";
  const auto end_line = [&framed, &line] {
    framed += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    line = "│ ";
  };
  for (const char byte : text) {
    if (byte == '\n' || columns(line) == kColumns) end_line();
    if (byte == '\n') continue;
    const bool shown = byte >= ' ' && byte <= '~';
    line += shown ? std::string(1, byte) : "·";
  }
  end_line();
  return framed;
}

std::string log_table(const std::vector<LogLine>& log) {
  std::vector<std::vector<std::string>> cells = {
      {"step", "loss", "held-out loss", "bits a byte"}};
  const auto fixed = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", value);
    return std::string(text);
  };
  for (const LogLine& line : log) {
    cells.push_back({std::to_string(line.step), fixed(line.loss), fixed(line.held_out),
                     fixed(line.held_out / std::log(2.0))});
  }
  return format_table(cells, {0, 1, 2, 3});
}

/// The largest value of the held-out loss over the one before it.
double largest_rise(const std::vector<LogLine>& log) {
  double most = 0;
  for (std::size_t i = 1; i < log.size(); ++i) {
    most = std::max(most, log[i].held_out / log[i - 1].held_out);
  }
  return most;
}

// --- The same weights on every pipeline ----------------------------------------------

/// A folder of its own, gone with this object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code failed;
    auto folder = fs::temp_directory_path(failed);
    if (failed) folder = ".";
    path_ = folder / ("workbook_24_" + std::to_string(getpid()));
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

/// The first steps of a training, on one pipeline after another.
class Comparison {
 public:
  static constexpr std::int64_t kSteps = 2;

  explicit Comparison(const Plan& plan) : plan_(plan) {
    plan_.training.checkpoints.clear();
    plan_.training.steps = kSteps;
    plan_.training.log_every = kSteps;
    plan_.training.held_out_windows = 1;
  }

  // [same]
  Expected<void> run() {
    // One device, whole sequences; then what must have its bits.
    auto done = add("gpipe", 1);
    for (const char* name : {"gpipe", "1f1b", "interleaved", "zb-h1"}) {
      for (const std::int32_t p : {2, 4}) {
        if (done) done = add(name, p);
      }
    }
    // Gradients of slices add up apart, so that they have a device of their own.
    for (const std::int32_t p : {1, 2, 4}) {
      if (done) done = add("token-slices", p);
    }
    return done ? resume() : done;
  }

  /// A step on one pipeline, a checkpoint, and another step on another one.
  Expected<void> resume() {
    const ScratchFolder folder;
    plan_.training.checkpoints = folder.path();
    plan_.training.steps = 1;
    if (auto first = train("gpipe", 2); !first) {
      return tl::unexpected(std::move(first.error()));
    }
    plan_.training.steps = kSteps;
    auto second = train("zb-h1", 4);
    if (!second) return tl::unexpected(std::move(second.error()));
    resumed_ = *second == reference_.front() ? 1 : 0;
    lines_.push_back({"gpipe, then zb-h1", "2, then 4", *second});
    return {};
  }
  // [same]

  std::string table() const { return format_table(lines_); }
  std::int32_t runs() const { return runs_; }
  std::int32_t equal() const { return equal_; }
  std::int32_t resumed() const { return resumed_; }

 private:
  /// The digest of its weights.
  Expected<std::string> train(const std::string& schedule, std::int32_t devices) {
    show_status("the first steps once more: " + schedule +
                ", p=" + std::to_string(devices));
    const auto options = laid_out(plan_, schedule, devices);
    if (!options) return tl::unexpected(options.error());
    auto report = train_on(plan_, *options);
    if (!report) return tl::unexpected(std::move(report.error()));
    return std::move(report->digest);
  }

  Expected<void> add(const std::string& schedule, std::int32_t devices) {
    auto digest = train(schedule, devices);
    if (!digest) return tl::unexpected(std::move(digest.error()));
    lines_.push_back({devices > 1                  ? schedule
                      : schedule == "token-slices" ? "one device, in slices"
                                                   : "one device",
                      std::to_string(devices), *digest});
    if (devices == 1) {
      reference_.push_back(std::move(*digest));
    } else {
      ++runs_;
      if (*digest == reference_.back()) ++equal_;
    }
    return {};
  }

  Plan plan_;
  std::vector<std::vector<std::string>> lines_ = {
      {"schedule", "devices", "digest of the weights"}};
  std::vector<std::string> reference_;  ///< of one device, the newest one last
  std::int32_t runs_ = 0;
  std::int32_t equal_ = 0;
  std::int32_t resumed_ = 0;
};

// --- A step on the clock -------------------------------------------------------------

struct TimedStep {
  Schedule schedule;
  Timeline predicted;  ///< as if all stages cost their mean
  Timeline measured;   ///< on the clock, or replayed
  std::vector<std::int32_t> held;
  std::vector<std::size_t> planned_bytes;  ///< per device
  std::vector<std::size_t> metered_bytes;  ///< without the scratch of the layers
};

Expected<TimedStep> time_step(const Plan& plan) {
  show_status("timing a step");
  const TextTrainingOptions& training = plan.training;
  TimedStep step;
  auto schedule = generate(training.schedule, request_of(training));
  if (!schedule) return tl::unexpected(schedule.error());
  step.schedule = std::move(*schedule);
  const auto platform = make_platform(training.devices);
  if (!platform) return tl::unexpected(platform.error());
  const auto network = transformer(plan.shape);
  if (!network) return tl::unexpected(network.error());
  const auto placed =
      PlacedNetwork::place(**platform, *network, training.split,
                           step.schedule.placement, training.seed, training.optimizer);
  if (!placed) return tl::unexpected(placed.error());

  TextBatch text;
  text.samples = training.samples;
  text.context = plan.shape.context;
  draw_windows(plan.corpus.train(), training.seed, 0, text);
  const Batch batch = {text.inputs.data(), text.labels.data(), text.samples,
                       text.context};
  ExecutorOptions options = training.executor;
  options.most_positions = text.context;
  {
    auto executor = Executor::make(**placed, step.schedule, batch.rows, options);
    if (!executor) return tl::unexpected(std::move(executor.error()));
    if (auto ran = (*executor)->run({&batch, 1}); !ran) {
      return tl::unexpected(std::move(ran.error()));
    }
    step.held = (*executor)->result().peak_live;
    for (std::int32_t d = 0; d < training.devices; ++d) {
      step.planned_bytes.push_back((*placed)->bytes_on(d) +
                                   (*executor)->planned_bytes(d));
      step.metered_bytes.push_back((*platform)->device(d).meter().peak_bytes -
                                   (*placed)->on(d).workspace->scratch_bytes());
    }
  }
  const Costs alone = measure_action_costs(
      **placed, (batch.rows + training.micro_batches - 1) / training.micro_batches,
      /*repetitions=*/5, batch.positions);
  auto predicted = simulate(step.schedule, all_alike(alone));
  if (!predicted) return tl::unexpected(predicted.error());
  step.predicted = std::move(*predicted);
  const bool shared = honest_level(**platform) == Level::Replay;
  auto measured = shared
                      ? replay(step.schedule, alone)
                      : run_on_the_clock(**placed, step.schedule, {&batch, 1}, options)
                            .map([](RunResult&& run) { return run.timeline; });
  if (!measured) return tl::unexpected(measured.error());
  step.measured = std::move(*measured);
  return step;
}

// --- What is said of it --------------------------------------------------------------

void add_rows(ChapterReport& report, const Plan& plan, const TimedStep& step,
              double tokens_per_second) {
  const Memory memory = pipeline::memory(step.schedule);
  for (std::size_t d = 0; d < step.held.size(); ++d) {
    report.row("activations held by device " + std::to_string(d), memory.peak_chunks[d],
               step.held[d]);
  }
  for (std::size_t d = 0; d < step.held.size(); ++d) {
    report.row("MB on device " + std::to_string(d),
               static_cast<double>(step.planned_bytes[d]) / 1e6,
               static_cast<double>(step.metered_bytes[d]) / 1e6);
  }
  const Metrics expected = measure(step.schedule, step.predicted);
  const Metrics seen = measure(step.schedule, step.measured);
  report.row("idle fraction of a step, %", 100 * expected.idle_fraction,
             100 * seen.idle_fraction);
  report.headline("ms a step of " + step.schedule.name, 1e3 * expected.makespan,
                  1e3 * seen.makespan);
  // Where devices share cores, a step takes at least its work on all of them.
  const double work = std::accumulate(seen.busy.begin(), seen.busy.end(), 0.0);
  const double seconds = std::max(seen.makespan, work / usable_cores());
  if (tokens_per_second > 0) {
    report.row("tokens/s of the training, by the clock",
               static_cast<double>(plan.tokens()) / seconds, tokens_per_second);
  }
}

std::string size_table(const Plan& plan) {
  const auto network = transformer(plan.shape);
  std::size_t weights = 0;
  for (const auto& layer : network->layers) weights += layer->parameter_count();
  if (network->tie) weights -= network->tie->count;
  std::vector<std::vector<std::string>> cells = {
      {"blocks", "width", "heads", "weights", "context", "windows", "micro-batches"},
      {}};
  for (const std::int64_t size :
       {std::int64_t{plan.shape.blocks}, std::int64_t{plan.shape.width},
        std::int64_t{plan.shape.heads}, static_cast<std::int64_t>(weights),
        std::int64_t{plan.shape.context}, std::int64_t{plan.training.samples},
        std::int64_t{plan.training.micro_batches}}) {
    cells.back().push_back(std::to_string(size));
  }
  return format_table(cells, {0, 1, 2, 3, 4, 5, 6});
}

std::string how_it_learns(const Plan& plan) {
  return "Each step shows it windows of " + plan.corpus.name + " (" +
         std::to_string(plan.corpus.text.size()) +
         " bytes), of which the last tenth is held out. AdamW, all gradients clipped "
         "to a norm of 1, a rate that warms up and falls along a cosine.";
}

std::string how_it_went(const Plan& plan, const TextTrainingReport& training) {
  std::string went = "Trained by " + plan.training.schedule + " on " +
                     counted(plan.training.devices, "device");
  if (training.resumed_from > 0) {
    went += ", from the checkpoint of step " + std::to_string(training.resumed_from);
  }
  return went + ". Digest of the trained weights: " + training.digest;
}

Expected<ChapterReport> transformer_chapter(const ChapterOptions& options) {
  const auto plan = read_plan(options);
  if (!plan) return tl::unexpected(plan.error());
  const auto training = train(*plan);
  if (!training) return tl::unexpected(training.error());
  const auto interrupted = [&plan] {
    return tl::unexpected(interrupted_at(*plan, plan->training.steps));
  };

  std::string written;
  if (plan->generation.bytes > 0) {
    show_status("writing");
    const auto platform = make_platform(1);
    if (!platform) return tl::unexpected(platform.error());
    const auto text = generate_text(**platform, plan->shape, plan->training.checkpoints,
                                    plan->generation);
    if (!text) return tl::unexpected(text.error());
    written = plan->generation.prompt + *text;
  }
  if (stop) return interrupted();
  Comparison same(*plan);
  if (auto ran = same.run(); !ran) {
    return stop ? interrupted() : tl::unexpected(std::move(ran.error()));
  }
  if (stop) return interrupted();
  const auto step = time_step(*plan);
  if (!step) return tl::unexpected(step.error());
  if (stop) return interrupted();

  ChapterReport report;
  report.say("A transformer, and what a step shows it:");
  report.show(size_table(*plan));
  report.say(how_it_learns(*plan));
  report.say(how_it_went(*plan, *training));
  report.show(log_table(training->log));
  if (!written.empty()) {
    report.say("What it writes after \"" + plan->generation.prompt + "\":");
    report.show(in_frame(written));
  }
  report.say("The first " + std::to_string(Comparison::kSteps) +
             " steps once more, on other pipelines. The last line goes on from a "
             "checkpoint after the first of them:");
  report.show(same.table());
  report.draw_both("A step, as predicted for stages of equal cost, and as it ran.",
                   step->schedule, step->predicted, step->measured);
  report.row("runs on p > 1 with the weights of one", same.runs(), same.equal());
  report.row("resumed elsewhere with the weights of one", 1, same.resumed());
  report.row("held-out loss, last over first: at most 0.6", 0.6,
             training->log.back().held_out / training->log.front().held_out);
  report.row("its largest value over the one before: at most 1.05", 1.05,
             largest_rise(training->log));
  add_rows(report, *plan, *step, training->tokens_per_second);
  report.level = step->measured.level;
  report.level_note = how_timed(report.level, plan->training.devices);
  report.try_next(
      "./workbook run 24 --checkpoint kept, and Ctrl-C; then the same with "
      "-p 4 --schedule zb-h1: it goes on to the same digest.");
  report.try_next("./workbook run 24 --text FILE --prompt TEXT: a text of your own.");
  report.try_next(
      "./workbook run 24 --steps 4000 --generate 2000: the longer, the truer it "
      "sounds.");
  report.try_next(
      "./workbook check 24: loss, cut, ties, mask, rate and norm yourself.");
  if (!plan->named) {
    std::error_code ignored;
    fs::remove_all(plan->training.checkpoints, ignored);
  }
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_chapter(argc, argv, kChapter, transformer_chapter);
}

// Chapter 04: what transfers cost on a link that is slow on purpose, and when they cost
// nothing.
//   ./workbook run 04 -p 2 -m 8
#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>

#include "classroom/chapter_program.hpp"
#include "classroom/chapter_timing.hpp"
#include "classroom/console.hpp"
#include "classroom/relay.hpp"
#include "device/host.hpp"
#include "planning/pace.hpp"
#include "planning/transfer.hpp"
#include "runtime/replay.hpp"
#include "schedule/generate.hpp"
#include "timeline/median.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "04",
    .name = "transfer",
    .question = "When does sending cost time?",
    .devices = {2, 8},
    .micro_batches = {8, 64},
};

constexpr std::int32_t kRows = 512;
const double kMessageBytes = RelayStage::message_bytes(kRows);

/// A link on which a message takes so many seconds.
SlowLink link_of(double seconds) {
  return {0, seconds > 0 ? kMessageBytes / seconds : 0};
}

// --- Forwards that are handed on -----------------------------------------------------

/// Recorded once message k has arrived, by the stream that carries it.
Event& arrival(RelayStage& from, RelayStage& to, std::int32_t k, bool overlapped) {
  return overlapped ? to.received(k) : from.sent(k);
}

// [hand on]
/// Hands on what `from` has computed. On a copy stream that goes on beside the next
/// forwards; on the compute stream of the sender it does nothing else meanwhile.
void hand_on(RelayStage& from, RelayStage& to, std::int32_t k, bool overlapped) {
  Stream& carrier = overlapped ? to.copy() : from.compute();
  carrier.wait(from.computed(k));
  if (k >= 2) carrier.wait(to.computed(k - 2));  // the last that read that buffer
  carrier.copy(to.input(k), from.output(k));
  carrier.record(arrival(from, to, k, overlapped));
}
// [hand on]

/// Sends m micro-batches through all stages, on the clock.
Timeline run_forwards(Platform& platform, std::vector<RelayStage>& stages,
                      std::int32_t micro_batches, bool overlapped) {
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    for (std::size_t s = 0; s < stages.size(); ++s) {
      RelayStage& stage = stages[s];
      RelayStage* next = s + 1 < stages.size() ? &stages[s + 1] : nullptr;
      if (s > 0) stage.compute().wait(arrival(stages[s - 1], stage, k, overlapped));
      if (next != nullptr && k >= 2) {  // its output buffer is free again
        stage.compute().wait(arrival(stage, *next, k - 2, overlapped));
      }
      stage.forward(k);
      if (next != nullptr) hand_on(stage, *next, k, overlapped);
    }
  }
  Timeline timeline;
  timeline.level = Level::HostThreads;
  for (RelayStage& stage : stages) stage.synchronize();
  for (RelayStage& stage : stages) {
    timeline.spans.push_back(stage.spans(platform, stages.front(), micro_batches));
  }
  return timeline;
}

/// Of several runs the one with the median makespan.
Timeline time_forwards(const Schedule& schedule, double transfer, bool overlapped) {
  const auto platform =
      make_host_platform(schedule.devices(), {.link = link_of(transfer)});
  std::vector<RelayStage> stages;
  stages.reserve(static_cast<std::size_t>(schedule.devices()));
  for (std::int32_t d = 0; d < schedule.devices(); ++d) {
    stages.emplace_back(platform->device(d), kRows, schedule.micro_batches);
  }
  std::vector<Timeline> runs;
  std::vector<double> makespans;
  for (int run = 0; run <= kTimedRuns; ++run) {
    Timeline timeline =
        run_forwards(*platform, stages, schedule.micro_batches, overlapped);
    if (run == 0) continue;  // sees the shapes for the first time
    makespans.push_back(measure(schedule, timeline).makespan);
    runs.push_back(std::move(timeline));
  }
  return std::move(runs[median_index(makespans)]);
}

/// What a forward takes alone.
double forward_seconds() {
  const auto timeline = time_forwards(*forward_only({1, 9}), 0, true);
  std::vector<double> lengths;
  for (const Span& span : timeline.spans.front()) lengths.push_back(span.length());
  return median(std::move(lengths));
}

/// A pipeline on links that all take the same for a message.
struct Trial {
  Schedule schedule;
  Timeline predicted;
  Timeline measured;
  Metrics expected;
  Metrics seen;
};

Trial compared(Schedule schedule, Timeline predicted, Timeline measured) {
  const Metrics expected = measure(schedule, predicted);
  const Metrics seen = measure(schedule, measured);
  return {std::move(schedule), std::move(predicted), std::move(measured), expected,
          seen};
}

/// Forwards of `forward` seconds with transfers of `transfer`.
Expected<Trial> try_forwards(const ChapterOptions& options, double forward,
                             double transfer, bool overlapped, bool on_the_clock) {
  const std::int32_t p = options.devices;
  auto schedule = forward_only({p, options.micro_batches});
  if (!schedule) return tl::unexpected(schedule.error());
  Costs costs;
  costs.stages.front().forward = forward;
  costs.message_bytes = {kMessageBytes};
  costs.within_node = {0, link_of(transfer).bytes_per_second};
  if (!overlapped) costs = *blocking_transfers(costs, p);
  auto predicted = simulate(*schedule, costs);
  if (!predicted) return tl::unexpected(predicted.error());
  // A sender that waits does not compute: its cells end where its forwards do.
  for (std::size_t d = 0; !overlapped && d + 1 < predicted->spans.size(); ++d) {
    for (Span& span : predicted->spans[d]) span.end -= transfer;
  }
  Timeline measured = *predicted;
  measured.level = Level::Replay;
  if (on_the_clock) measured = time_forwards(*schedule, transfer, overlapped);
  return compared(std::move(*schedule), std::move(*predicted), std::move(measured));
}

// --- Training ------------------------------------------------------------------------

/// The network of p stages, on devices whose links take `transfer` seconds.
struct Placed {
  Network network;
  std::unique_ptr<Platform> platform;
  std::unique_ptr<PlacedNetwork> on_devices;
};

Expected<Placed> place(std::int32_t devices, double transfer) {
  Placed placed;
  LayerSplit split = {0};
  for (std::int32_t s = 0; s < devices; ++s) {
    placed.network.push_back(linear(RelayStage::kNarrow, RelayStage::kWide));
    placed.network.push_back(linear(RelayStage::kWide, RelayStage::kNarrow));
    split.push_back(split.back() + 2);
  }
  placed.platform = make_host_platform(devices, {.link = link_of(transfer)});
  auto on_devices = PlacedNetwork::place(*placed.platform, placed.network, split,
                                         one_stage_per_device(devices), /*seed=*/1);
  if (!on_devices) return tl::unexpected(on_devices.error());
  placed.on_devices = std::move(*on_devices);
  return placed;
}

struct TrainingTrial {
  Trial trial;
  std::int32_t held_predicted = 0;  ///< micro-batches, by device 0
  std::int32_t held_measured = 0;
};

/// 1F1B with so many micro-batches in flight.
Expected<TrainingTrial> try_training(const ChapterOptions& options, const Costs& costs,
                                     double transfer,
                                     const std::vector<std::int32_t>& held) {
  auto schedule = one_f_one_b({options.devices, options.micro_batches}, held);
  if (!schedule) return tl::unexpected(schedule.error());
  auto predicted = simulate(*schedule, costs);
  if (!predicted) return tl::unexpected(predicted.error());
  const auto placed = place(options.devices, transfer);
  if (!placed) return tl::unexpected(placed.error());
  const MadeUpRows rows(kRows * options.micro_batches, RelayStage::kNarrow,
                        RelayStage::kNarrow);
  const Batch batch = rows.batch();
  ExecutorOptions executor;
  executor.buffers = held.front();
  auto ran = run_on_the_clock(*placed->on_devices, *schedule, {&batch, 1}, executor);
  if (!ran) return tl::unexpected(ran.error());
  TrainingTrial training;
  training.held_predicted = std::min(held.front(), options.micro_batches);
  training.held_measured = ran->peak_live.front();
  Timeline measured = std::move(ran->timeline);
  if (honest_level(*placed->platform) == Level::Replay) {
    measured = *predicted;
    measured.level = Level::Replay;
  }
  training.trial =
      compared(std::move(*schedule), std::move(*predicted), std::move(measured));
  return training;
}

// --- The page ------------------------------------------------------------------------

std::string figure(double value, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

void draw(ChapterReport& report, const std::string& caption, const Trial& trial) {
  report.draw_both(caption, trial.schedule, trial.predicted, trial.measured);
}

Expected<ChapterReport> transfer(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  if (const auto here = make_platform(1); !here) {
    return tl::unexpected(here.error());
  } else if ((*here)->level() != Level::HostThreads) {
    return absent("a link can be made slow between devices of the host alone",
                  "Build the preset host: cmake --preset host, then target ch04.");
  }
  const bool on_the_clock = p <= usable_cores();
  show_status("timing forwards");
  const double t = forward_seconds();

  // [forwards]
  // Transfers of half a stage's time and of twice its time: with a sender that waits,
  // and with one that goes on computing.
  std::vector<Trial> forwards;
  for (const double transfer : {t / 2, 2 * t}) {
    for (const bool overlapped : {false, true}) {
      auto trial = try_forwards(options, t, transfer, overlapped, on_the_clock);
      if (!trial) return tl::unexpected(trial.error());
      forwards.push_back(std::move(*trial));
    }
  }
  // [forwards]

  show_status("timing training");
  const auto fast = place(p, 0);
  if (!fast) return tl::unexpected(fast.error());
  Costs costs = measure_action_costs(*fast->on_devices, kRows);
  const double training_t = pace_of(costs, p)->interval;
  // [training]
  // Transfers of three quarters of a stage's F+B: no link is the bottleneck.
  const double c = 0.75 * training_t;
  costs.within_node = costs.between_nodes = {0, kMessageBytes / c};
  std::vector<std::int32_t> usual(static_cast<std::size_t>(p));
  std::iota(usual.rbegin(), usual.rend(), 1);  // p, …, 1
  const auto enough = in_flight_to_hide(costs, p);
  if (!enough) return tl::unexpected(enough.error());
  const auto by_usual = try_training(options, costs, c, usual);
  if (!by_usual) return tl::unexpected(by_usual.error());
  const auto by_enough = try_training(options, costs, c, *enough);
  if (!by_enough) return tl::unexpected(by_enough.error());
  // [training]

  ChapterReport report;
  report.say("A forward takes " + figure(1e3 * t, "%.2f") + " ms and sends " +
             figure(kMessageBytes / 1024, "%.0f") + " KiB. The link takes as long at " +
             figure(break_even_bandwidth(kMessageBytes, t) / 1e6, "%.0f") +
             " MB/s: slower ones set the pace.");
  draw(report, "Forwards, c = t/2, and the sender waits until a message is there.",
       forwards[0]);
  draw(report, "The same while the sender computes.", forwards[1]);
  draw(report, "Training by 1F1B, c = 3/4 of F+B, with p-s micro-batches in flight.",
       by_usual->trial);
  draw(report,
       "The same with " + std::to_string(enough->front()) + " in flight on device 0.",
       by_enough->trial);
  const auto apart = [&report](const std::string& what, const Trial& trial,
                               bool headline = false) {
    const Quantity predicted = 1e3 * trial.expected.steady_interval;
    const Quantity measured = 1e3 * trial.seen.steady_interval;
    headline ? report.headline(what, predicted, measured)
             : report.row(what, predicted, measured);
  };
  apart("ms apart, c = t/2, the sender waits: t+c", forwards[0]);
  apart("ms apart, c = t/2, overlapped: max(t,c)", forwards[1], /*headline=*/true);
  apart("ms apart, c = 2t, the sender waits: t+c", forwards[2]);
  apart("ms apart, c = 2t, overlapped: max(t,c)", forwards[3]);
  report.row("ms a step, c = t/2, overlapped: pt+(p-1)c+(m-1)t",
             1e3 * forwards[1].expected.makespan, 1e3 * forwards[1].seen.makespan);
  report.row("ms a step of 1F1B, p-s in flight",
             1e3 * by_usual->trial.expected.makespan,
             1e3 * by_usual->trial.seen.makespan);
  report.row("ms a step of 1F1B, enough in flight",
             1e3 * by_enough->trial.expected.makespan,
             1e3 * by_enough->trial.seen.makespan);
  report.row("micro-batches held by device 0, enough in flight",
             by_enough->held_predicted, by_enough->held_measured);
  report.level = by_enough->trial.measured.level;
  report.level_note = how_timed(report.level, p);
  report.try_next("./workbook run 04 -m 32: which of the rows grow, and which do not?");
  report.try_next(
      "./workbook schedule 1f1b -p 4 -m 8 --costs F=1,I=1,W=1,c=1: where do devices "
      "wait?");
  report.try_next("./workbook check 04: pace, break-even, and what to hold.");
  return report;
}

}  // namespace

int main(int argc, char** argv) { return run_chapter(argc, argv, kChapter, transfer); }

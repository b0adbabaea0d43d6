// Chapter 17: up and down the devices. What one micro-batch occupies decides how much a
// device holds: V-Min, V-Half and ZB-V trade memory for bubble.
//   ./workbook run 17 -p 8 -m 32
#include <algorithm>
#include <array>
#include <cstdio>

#include "classroom/chapter_program.hpp"
#include "classroom/chapter_training.hpp"
#include "classroom/console.hpp"
#include "schedule/building_block.hpp"
#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "schedule/numbers.hpp"
#include "schedule/v_exact.hpp"
#include "schedule/v_order.hpp"
#include "timeline/memory.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "17",
    .name = "v_schedules",
    .question = "How little memory can a pipeline do with, and what does that cost?",
    .devices = {4, 8},
    .micro_batches = {8, 64},
    .images = {12000, 60000},
};

struct Kind {
  const char* schedule;
  const char* title;
  BuildingBlock (*block_of)(std::int32_t devices);
};

constexpr std::array kKinds{Kind{"v-min", "V-Min", v_min_block},
                            Kind{"v-half", "V-Half", v_half_block},
                            Kind{"zb-v", "ZB-V", zb_v_block}};

/// A row a device and two columns a tick.
std::string drawn(const BuildingBlock& block) {
  constexpr std::array<const char*, kPasses> kLetters{"F0", "F1", "I1",
                                                      "I0", "W1", "W0"};
  std::string lines;
  for (std::size_t d = 0; d < block.size(); ++d) {
    std::string cells;
    for (std::int32_t tick = 0; tick < length(block); ++tick) {
      const auto pass = std::find(block[d].begin(), block[d].end(), tick);
      const auto index = static_cast<std::size_t>(pass - block[d].begin());
      cells += pass == block[d].end() ? "··" : kLetters[index];
    }
    lines += "device " + std::to_string(d) + " " + cells + "\n";
  }
  return lines;
}

// [lifespans]
/// How long each device holds the activations of one micro-batch, and how many that
/// makes when a new one comes every six ticks.
std::string lifespan_table(std::int32_t devices) {
  std::vector<std::vector<std::string>> cells = {{"device"}};
  for (const Kind& kind : kKinds) {
    cells.front().insert(cells.front().end(),
                         {std::string(kind.title) + " ticks", "/12"});
  }
  for (std::int32_t d = 0; d < devices; ++d) {
    auto& line = cells.emplace_back();
    line.push_back(std::to_string(d));
    for (const Kind& kind : kKinds) {
      const Offsets offsets = kind.block_of(devices)[static_cast<std::size_t>(d)];
      const auto [down, up] = lifespans(offsets);
      line.push_back(std::to_string(down) + " + " + std::to_string(up));
      line.push_back(short_number((down + up) / 12.0));
    }
  }
  return format_table(cells, {0, 1, 2, 3, 4, 5, 6});
}
// [lifespans]

// [steps]
/// From the block to the schedule, and how long each step leaves it. Whether anything
/// on a V could take a tick less in this memory is found by going through all that the
/// devices could do, unless that is too much.
std::string step_table(std::int32_t devices, std::int32_t micro_batches) {
  std::vector<std::vector<std::string>> cells = {
      {"", "repeat", "squeeze", "reorder", "a tick less"}};
  for (const Kind& kind : kKinds) {
    const BuildingBlock block = kind.block_of(devices);
    const std::int32_t limit = 2 * peak_bound(block);  // in activations of a stage
    const VOrder order = repeat(block, micro_batches);
    const std::int32_t ticks = reorder(order, limit).makespan;
    constexpr std::size_t kMostStates = 20'000;
    const auto less =
        can_end_within(devices, micro_batches, limit, ticks - 1, kMostStates);
    cells.push_back({kind.title,
                     std::to_string(repeated_makespan(length(block), micro_batches)),
                     std::to_string(squeeze(order).makespan), std::to_string(ticks),
                     !less   ? "not known"
                     : *less ? "possible"
                             : "impossible"});
  }
  return format_table(cells, {1, 2, 3});
}
// [steps]

/// What one chunk costs, and a hop between devices. A device without chunks holds what
/// would be two of them as one stage.
struct Ticks {
  double forward = 1;
  double input_gradient = 1;
  double weight_gradient = 1;
  double hop = 0;

  Costs of(const Schedule& schedule) const {
    const double chunks = 2.0 * schedule.devices() / schedule.stages();
    Costs costs;
    costs.stages.front().forward = chunks * forward;
    costs.stages.front().input_gradient = chunks * input_gradient;
    costs.stages.front().weight_gradient = chunks * weight_gradient;
    costs.within_node.latency = hop;
    return costs;
  }
};

constexpr std::array kCompared{"1f1b", "interleaved", "zb-h1",
                               "zb-v", "v-half",      "v-min"};

std::int64_t messages_of(const Schedule& schedule) {
  std::int64_t messages = 0;
  for (const Row& row : lower(schedule).rows) {
    messages += std::count_if(row.begin(), row.end(), [](const Entry& entry) {
      return entry.action.kind == ActionKind::SendActivation ||
             entry.action.kind == ActionKind::SendGradient;
    });
  }
  return messages;
}

std::string percent(double share) { return number(100 * share, 1) + " %"; }

/// Memory, bubble and messages of the schedules that flush at the end of a step.
Expected<std::string> comparison_table(std::int32_t devices,
                                       std::int32_t micro_batches) {
  constexpr std::array<Ticks, 4> kTicks{Ticks{}, Ticks{1, 1, 1, 0.5},
                                        Ticks{1, 1.4, 0.6}, Ticks{1, 1.4, 0.6, 0.5}};
  std::vector<std::vector<std::string>> cells = {
      {"", "held", "messages", "idle", "c=.5", "I=1.4 W=.6", "both"}};
  for (const char* name : kCompared) {
    const auto schedule = generate(name, {{devices, micro_batches}});
    if (!schedule) return tl::unexpected(schedule.error());
    const std::vector<double> peak = memory(*schedule).peak;
    auto& line = cells.emplace_back();
    line = {name, number(*std::max_element(peak.begin(), peak.end()), 2),
            std::to_string(messages_of(*schedule) / micro_batches)};
    for (const Ticks& ticks : kTicks) {
      const auto timeline = simulate(*schedule, ticks.of(*schedule));
      if (!timeline) return tl::unexpected(timeline.error());
      line.push_back(percent(measure(*schedule, *timeline).idle_overhead));
    }
  }
  return format_table(cells, {1, 2, 3, 4, 5, 6});
}

/// The most that any device held, in micro-batches: as the rows say, and as the work
/// itself counted.
void add_held_row(ChapterReport& report, const TrainingRun& run,
                  const std::string& formula) {
  const std::vector<double> predicted = memory(run.report.schedule).peak;
  const auto& counted = run.report.last_run.peak_live;
  report.row("micro-batches held: " + run.plan.schedule + ", at most " + formula,
             *std::max_element(predicted.begin(), predicted.end()),
             *std::max_element(counted.begin(), counted.end()) / 2.0);
}

Expected<ChapterReport> v_chapter(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  const std::int32_t m = options.micro_batches;
  const auto data = read_book_images(options.images);
  if (!data) return tl::unexpected(data.error());

  // [train]
  // Two stages on each device, and backwards in halves; yet the same sums in the same
  // order as on one device.
  std::vector<TrainingPlan> plans = {{"model-parallel", 1, m}};
  for (const Kind& kind : kKinds) plans.push_back({kind.schedule, p, m});
  const auto runs = train_book_network(*data, plans, Depth::Eight);
  // [train]
  if (!runs) return tl::unexpected(runs.error());
  const DigestComparison same = compare_with_one_device(*runs);
  const auto steps =
      time_book_steps(*data, {{"v-half", p, m}, {"1f1b", p, m}}, Depth::Eight);
  if (!steps) return tl::unexpected(steps.error());
  const TimedStep& by_v_half = steps->front();
  const TimedStep& by_1f1b = steps->back();
  const auto comparison = comparison_table(p, m);
  if (!comparison) return tl::unexpected(comparison.error());
  const auto ticks = simulate(by_v_half.schedule, Costs{});
  if (!ticks) return tl::unexpected(ticks.error());

  ChapterReport report;
  report.say(
      "The building block of V-Min, two columns a tick; the digit is the chunk:");
  report.show(drawn(v_min_block(p)));
  report.say(
      "How long a device holds the activations of chunk 0 and of chunk 1, and "
      "their sum in micro-batches of two chunks, one every 6 ticks:");
  report.show(lifespan_table(p));
  report.say("Ticks of a step of " + counted(m, "micro-batch") + ", of which " +
             std::to_string(6 * m) + " are work:");
  report.show(step_table(p, m));
  report.draw("V-Half, reordered.", by_v_half.schedule, *ticks);
  report.say(
      "Memory in micro-batches of a device's share, messages a micro-batch, and "
      "idle overhead (idle over ideal): with F=I=W=1, then with a hop of c=0.5, with "
      "other halves of the backward, and with both.");
  report.show(*comparison);
  report.say(how_trained(*data));
  report.show(same.table);
  report.row("runs on p > 1 with the weights of one", same.runs, same.equal);
  const std::array formulas{"(p+4)/3", "(p+2)/2", "p"};
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    add_held_row(report, (*runs)[i + 1], formulas[i]);
  }
  report.row("messages a micro-batch: 4(p-1)", 4 * (p - 1),
             static_cast<double>(messages_of(by_v_half.schedule)) / m);
  report.row("ms a step of V-Half", 1e3 * by_v_half.expected.makespan,
             1e3 * by_v_half.seen.makespan);
  report.headline("time of a V-Half step over that of 1F1B",
                  by_v_half.expected.makespan / by_1f1b.expected.makespan,
                  by_v_half.seen.makespan / by_1f1b.seen.makespan);
  report.level = by_v_half.measured.level;
  report.level_note = how_timed(by_v_half);
  report.try_next("./workbook run 17 -p 8 -m 32: what does V-Min hold now?");
  report.try_next("./workbook run 17 -m 3: fewer micro-batches than devices.");
  report.try_next("./workbook schedule zb-v -p 4 -m 8 --steps 2: steps interlock.");
  report.try_next("./workbook check 17: from offsets to the peak yourself.");
  return report;
}

}  // namespace

int main(int argc, char** argv) { return run_chapter(argc, argv, kChapter, v_chapter); }

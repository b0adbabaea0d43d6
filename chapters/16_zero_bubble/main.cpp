// Chapter 16: the gradient of the weights is wanted by nobody until the step ends. Run
// apart from the gradient of the input, it fills what would be idle.
//   ./workbook run 16 -p 4 -m 8
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "classroom/chapter_program.hpp"
#include "classroom/chapter_training.hpp"
#include "classroom/console.hpp"
#include "schedule/exact.hpp"
#include "schedule/numbers.hpp"
#include "schedule/zb_auto.hpp"
#include "schedule/zero_bubble.hpp"
#include "timeline/fraction.hpp"
#include "timeline/memory.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"
#include "timeline/table_5.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "16",
    .name = "zero_bubble",
    .question = "What if the weights' gradients could wait?",
    .devices = {4, 8},
    .micro_batches = {8, 64},
    .images = {12000, 60000},
};

Expected<Metrics> time_of(const Expected<Schedule>& schedule, const Costs& costs) {
  if (!schedule) return tl::unexpected(schedule.error());
  const auto timeline = simulate(*schedule, costs);
  if (!timeline) return tl::unexpected(timeline.error());
  return measure(*schedule, *timeline);
}

double most_held(const Schedule& schedule) {
  const std::vector<double> peak = memory(schedule).peak;
  return *std::max_element(peak.begin(), peak.end());
}

std::string ticks(double value) { return number(value, 0); }
std::string rate(double value) {
  char text[16];
  std::snprintf(text, sizeof text, "%.4f", value);
  return text;
}

// [spans]
/// F = I = W = 1: how long the step takes, and how long a device does.
Expected<std::string> span_table(std::int32_t p, std::int32_t m) {
  const Shape shape{p, m, 1};
  const MemoryBudget as_1f1b{{1.0 * p}};
  const MemoryBudget twice{{2.0 * p}};
  std::vector<std::vector<std::string>> cells = {
      {"schedule", "held", "makespan", "longest span", "span bubble"}};
  for (const auto& [name, schedule] :
       {std::pair{"1f1b", one_f_one_b(shape)}, std::pair{"zb-h1", zb_h1(shape)},
        std::pair{"zb-h2", zb_h2(shape)},
        std::pair{"zb-auto, limit p", zb_auto(shape, Costs(), as_1f1b)},
        std::pair{"zb-auto, limit 2p", zb_auto(shape, Costs(), twice)}}) {
    const auto metrics = time_of(schedule, Costs());
    if (!metrics) return tl::unexpected(metrics.error());
    cells.push_back({name, ticks(most_held(*schedule)), ticks(metrics->makespan),
                     ticks(metrics->longest_span), ratio_texts(*metrics).span_bubble});
  }
  return format_table(cells, {1, 2, 3, 4});
}
// [spans]

// [steps]
/// One to four steps in a row, with and without something that all devices wait for.
Expected<std::string> step_table(std::int32_t p, std::int32_t m) {
  std::vector<std::vector<std::string>> cells = {
      {"steps", "zb-h1", "zb-h2", "zb-h2, global norm", "ideal"}};
  for (std::int32_t n = 1; n <= 4; ++n) {
    std::vector<std::string> line = {std::to_string(n)};
    for (const auto& schedule :
         {zb_h1({p, m, n}), zb_h2({p, m, n}), zb_h2({p, m, n, true})}) {
      const auto metrics = time_of(schedule, Costs());
      if (!metrics) return tl::unexpected(metrics.error());
      line.push_back(ticks(metrics->makespan));
    }
    line.push_back(std::to_string(3 * m * n));
    cells.push_back(std::move(line));
  }
  return format_table(cells, {0, 1, 2, 3, 4});
}
// [steps]

/// The paper's times and limits. Searched: what the paper found, and what is found
/// here.
Expected<std::string> paper_table() {
  std::vector<std::vector<std::string>> cells = {{"p", "m", "1F1B", "ZB-H1", "ZB-H2",
                                                  "limit p", "printed", "limit 2p",
                                                  "printed"}};
  for (const Table5Row& row : kTable5) {
    const Shape shape{row.devices, row.micro_batches, 1};
    const double freed = row.freed_by_input_gradient();
    const Costs costs = row.costs();
    std::vector<std::string> line = {std::to_string(row.devices),
                                     std::to_string(row.micro_batches)};
    for (const auto& schedule : {one_f_one_b(shape), zb_h1(shape), zb_h2(shape),
                                 zb_auto(shape, costs, {{1.0 * row.devices}, freed}),
                                 zb_auto(shape, costs, {{2.0 * row.devices}, freed})}) {
      const auto metrics = time_of(schedule, costs);
      if (!metrics) return tl::unexpected(metrics.error());
      line.push_back(rate(metrics->span_bubble));
      if (line.size() == 6) line.push_back(rate(row.searched_p));
    }
    line.push_back(rate(row.searched_2p));
    cells.push_back(std::move(line));
  }
  return format_table(cells, {0, 1, 2, 3, 4, 5, 6, 7, 8});
}

// [exact]
/// The longest span of each, and the shortest that any schedule can have.
Expected<std::string> exact_table() {
  constexpr std::int32_t p = 3;
  constexpr std::int32_t m = 6;
  Costs costs;
  costs.stages = {{3, 4, 2}};
  costs.within_node.latency = 1;
  std::vector<std::vector<std::string>> cells = {
      {"limit", "1f1b", "zb-h1", "zb-h2", "zb-auto", "the best there is", "states"}};
  for (const double limit : {3.0, 4.0, 5.0, 6.0}) {
    const MemoryBudget budget{{limit}};
    const auto best =
        exact(one_stage_per_device(p), m, costs, budget, {ExactObjective::LongestSpan});
    if (!best) return tl::unexpected(best.error());
    std::vector<std::string> line = {number(limit, 1)};
    for (const auto& schedule : {one_f_one_b({p, m, 1}), zb_h1({p, m, 1}),
                                 zb_h2({p, m, 1}), zb_auto({p, m, 1}, costs, budget)}) {
      const auto metrics = time_of(schedule, costs);
      if (!metrics) return tl::unexpected(metrics.error());
      line.push_back(most_held(*schedule) <= limit ? ticks(metrics->longest_span)
                                                   : "too large");
    }
    line.push_back(ticks(best->optimum));
    line.push_back(std::to_string(best->states));
    cells.push_back(std::move(line));
  }
  return format_table(cells, {0, 1, 2, 3, 4, 5, 6});
}
// [exact]

/// The most that any device held: as the rows say, and as the work itself counted.
void add_held_row(ChapterReport& report, const TrainingRun& run,
                  const std::string& formula) {
  const auto& counted = run.report.last_run.peak_live;
  report.row("micro-batches held: " + run.plan.schedule + ", " + formula,
             most_held(run.report.schedule),
             *std::max_element(counted.begin(), counted.end()));
}

Expected<ChapterReport> zero_bubble_chapter(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  const std::int32_t m = options.micro_batches;
  const auto data = read_book_images(options.images);
  if (!data) return tl::unexpected(data.error());

  const auto spans = span_table(p, m);
  if (!spans) return tl::unexpected(spans.error());
  const auto in_a_row = step_table(p, m);
  if (!in_a_row) return tl::unexpected(in_a_row.error());
  const auto paper = paper_table();
  if (!paper) return tl::unexpected(paper.error());
  const auto proven = exact_table();
  if (!proven) return tl::unexpected(proven.error());
  const auto two_steps = zb_h2({p, m, 2});
  if (!two_steps) return tl::unexpected(two_steps.error());
  const auto two_steps_in_ticks = simulate(*two_steps, Costs{});
  if (!two_steps_in_ticks) return tl::unexpected(two_steps_in_ticks.error());

  // [train]
  // Weight gradients come late and in gaps, but in the order of the micro-batches.
  const auto runs = train_book_network(*data, {{"model-parallel", 1, m},
                                               {"1f1b", p, m},
                                               {"zb-h1", p, m},
                                               {"zb-h2", p, m},
                                               {.schedule = "zb-auto",
                                                .devices = p,
                                                .micro_batches = m,
                                                .memory_limit = {1.0 * p}}});
  // [train]
  if (!runs) return tl::unexpected(runs.error());
  const DigestComparison same = compare_with_one_device(*runs);
  const auto steps =
      time_book_steps(*data, {{"zb-h1", p, m}, {"1f1b", p, m}, {"zb-h2", p, m}});
  if (!steps) return tl::unexpected(steps.error());
  constexpr std::int32_t kSteps = 3;
  const TrainingPlan free_running{"zb-h2", p, m};
  TrainingPlan with_norm = free_running;
  with_norm.global_norm = true;
  const auto several =
      time_book_steps(*data, {free_running, with_norm}, Depth::Four, kSteps);
  if (!several) return tl::unexpected(several.error());
  const TimedStep& interlocked = several->front();
  const TimedStep& apart = several->back();
  const TimedStep& by_h1 = (*steps)[0];
  const TimedStep& by_1f1b = (*steps)[1];
  const TimedStep& by_h2 = (*steps)[2];
  const auto over_1f1b = [&](const TimedStep& step, double Metrics::*length) {
    return std::pair{step.expected.*length / by_1f1b.expected.*length,
                     step.seen.*length / by_1f1b.seen.*length};
  };

  ChapterReport report;
  report.say("F = I = W = 1, and an activation is freed when its W has run:");
  report.show(*spans);
  report.say("Makespans of several steps in a row:");
  report.show(*in_a_row);
  report.draw("ZB-H2, two steps, nothing that all devices wait for.", *two_steps,
              *two_steps_in_ticks);
  report.say(
      "Span bubble with the times, transfers and memory of the zero-bubble paper's "
      "table 5. There I frees 0.63 or 0.57 of an activation and W the rest. The last "
      "four columns are searches under a memory limit: found here, and printed there.");
  report.show(*paper);
  report.say(
      "Longest span with p=3, m=6, F=3, I=4, W=2, c=1, and activations freed at W. The "
      "best is proven by going through all that the devices could do:");
  report.show(*proven);
  report.say(how_trained(*data));
  report.show(same.table);
  report.row("runs on p > 1 with the weights of one", same.runs, same.equal);
  add_held_row(report, (*runs)[2], "p or m");
  add_held_row(report, (*runs)[3], "2p-1 or m");
  add_held_row(report, (*runs)[4], "limit p");
  report.row("ms a step of ZB-H1", 1e3 * by_h1.expected.makespan,
             1e3 * by_h1.seen.makespan);
  const auto [h1_expected, h1_seen] = over_1f1b(by_h1, &Metrics::makespan);
  report.headline("time of a ZB-H1 step over that of 1F1B", h1_expected, h1_seen);
  const auto [h2_expected, h2_seen] = over_1f1b(by_h2, &Metrics::longest_span);
  report.row("longest span of ZB-H2 over that of 1F1B", h2_expected, h2_seen);
  report.row("3 steps of ZB-H2 over 3 with a global norm",
             interlocked.expected.makespan / apart.expected.makespan,
             interlocked.seen.makespan / apart.seen.makespan);
  report.level = by_h1.measured.level;
  report.level_note = how_timed(by_h1);
  report.try_next("./workbook run 16 -m 3: what is left of it when m < p?");
  report.try_next(
      "./workbook schedule zb-auto -p 4 -m 8 --memory-limit 6 "
      "--costs F=10,I=11,W=7,c=1: between p and 2p.");
  report.try_next("./workbook schedule zb-h2 -p 4 -m 8 --steps 3: steps interlock.");
  report.try_next("./workbook check 16: H1, H2 and what they hold yourself.");
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_chapter(argc, argv, kChapter, zero_bubble_chapter);
}

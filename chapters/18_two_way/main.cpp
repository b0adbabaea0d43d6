// Chapter 18: micro-batches from both ends: DualPipe, DualPipeV and Chimera.
//   ./workbook run 18 -p 4 -m 16
#include <algorithm>
#include <string>
#include <vector>

#include "classroom/chapter_program.hpp"
#include "classroom/chapter_training.hpp"
#include "classroom/console.hpp"
#include "schedule/generate.hpp"
#include "schedule/numbers.hpp"
#include "timeline/fraction.hpp"
#include "timeline/memory.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "18",
    .name = "two_way",
    .question = "What is won when micro-batches enter from both ends?",
    .devices = {4, 8},
    .micro_batches = {8, 64},
    .images = {60000, 60000},
};

// [costs]
// Every action spends a share of its time waiting for what other devices send, as the
// layers of experts do. Alone it waits; in an overlapped pair the other half computes
// meanwhile. A p-th of the model takes F = I = W = 1, half of that F = I = W = 1/2.
Costs costs_of(double waiting, double size) {
  const double computing = 3 * (1 - waiting);
  Costs costs;
  costs.stages.front() = {.forward = size,
                          .input_gradient = size,
                          .weight_gradient = size,
                          .overlapped = size * std::max(computing, 3 * waiting)};
  return costs;
}
// [costs]

struct Simulated {
  Schedule schedule;
  Metrics metrics;
};

Expected<Simulated> simulated(const std::string& name, std::int32_t p, std::int32_t m,
                              double waiting) {
  auto schedule = generate(name, {.shape = {p, m}});
  if (!schedule) return tl::unexpected(schedule.error());
  const double size = static_cast<double>(p) / schedule->stages();
  const auto timeline = simulate(*schedule, costs_of(waiting, size));
  if (!timeline) return tl::unexpected(timeline.error());
  const Metrics metrics = measure(*schedule, *timeline);
  return Simulated{std::move(*schedule), metrics};
}

/// Zero bubble against two ways: what each holds, and how long it takes with nothing
/// and with something to hide.
Expected<std::string> comparison(std::int32_t p, std::int32_t m) {
  std::vector<std::vector<std::string>> cells = {
      {"schedule", "copies of the weights", "held", "nothing to hide", "a fifth"}};
  for (const std::string name :
       {"1f1b", "zb-h1", "zb-v", "chimera", "dualpipe", "dualpipe-v"}) {
    const auto plain = simulated(name, p, m, 0);
    if (!plain) return tl::unexpected(plain.error());
    const auto hiding = simulated(name, p, m, 0.2);
    if (!hiding) return tl::unexpected(hiding.error());
    const std::vector<double> held = memory(plain->schedule).peak;
    cells.push_back({name, std::to_string(plain->schedule.placement.copies()),
                     short_number(*std::max_element(held.begin(), held.end())),
                     short_number(plain->metrics.makespan),
                     short_number(hiding->metrics.makespan)});
  }
  return format_table(cells, {1, 2, 3, 4});
}

/// Two ways and one device that adds each half of a step apart; DualPipeV, which has
/// one copy of the weights, and one device that adds everything.
std::vector<TrainingPlan> plans(std::int32_t p, std::int32_t m) {
  // [train]
  TrainingPlan in_halves{"one device, in halves", 1, m};
  in_halves.generator = [](const Request& request) {
    return one_device_in_halves(request.shape);
  };
  return {{"model-parallel", 1, m}, {"dualpipe-v", p, m}, in_halves,
          {"chimera", p, m},        {"dualpipe", 2, m},   {"dualpipe", p, m}};
  // [train]
}

Expected<ChapterReport> two_way_chapter(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  const std::int32_t m = options.micro_batches;
  const Depth depth = p > 4 ? Depth::Eight : Depth::Four;
  // Sizes that the schedules forbid are refused here, before anything is trained.
  const auto table = comparison(p, m);
  if (!table) return tl::unexpected(table.error());
  const auto two_way = simulated("dualpipe", p, m, 0);
  const auto folded = simulated("dualpipe-v", p, m, 0);
  const auto by_slots = simulated("chimera", p, p, 0);
  for (const auto* each : {&two_way, &folded, &by_slots}) {
    if (!*each) return tl::unexpected(each->error());
  }

  const auto data = read_book_images(options.images);
  if (!data) return tl::unexpected(data.error());
  const auto runs = train_book_network(*data, plans(p, m), depth);
  if (!runs) return tl::unexpected(runs.error());
  const DigestComparison same = compare_with_one_device(*runs);
  const auto timed = time_book_steps(
      *data, {{"1f1b", p, m}, {"dualpipe", p, m}, {"dualpipe", p, 2 * p}}, depth);
  if (!timed) return tl::unexpected(timed.error());
  const TimedStep& one_way = (*timed)[0];
  const TimedStep& step = (*timed)[1];
  const TimedStep& drawn = (*timed)[2];

  ChapterReport report;
  report.say(how_trained(*data));
  report.show(same.table);
  report.say("Simulated ticks of a step, " + counted(m, "micro-batch") + " on " +
             counted(p, "device") +
             "; F=I=W=1 for a p-th of the model. An overlapped pair takes 3, or 2.4 "
             "where there is a fifth of the time to hide:");
  report.show(*table);
  report.draw_both(
      "One step of DualPipe: predicted for stages that are all alike, and "
      "measured.",
      drawn.schedule, drawn.predicted, drawn.measured);
  report.row("runs on p > 1 with the weights of one", same.runs, same.equal);
  report.row("test accuracy, %: at least 85", 85, 100 * same.least_accuracy);
  report.row("ms a step of DualPipe", 1e3 * step.expected.makespan,
             1e3 * step.seen.makespan);
  report.headline("time of a DualPipe step over that of 1F1B",
                  step.expected.makespan / one_way.expected.makespan,
                  step.seen.makespan / one_way.seen.makespan);
  add_held_rows(report, runs->back().report, "p+1");
  const auto middle = static_cast<std::size_t>(p / 2);
  const std::int32_t idle = (p / 2 - 1) * 2;
  report.row("simulated idle ticks, DualPipe: (p/2-1)(FB+B-3W)", idle,
             two_way->metrics.makespan - two_way->metrics.busy[middle]);
  report.row("simulated idle ticks, DualPipeV: the same, p-1 times", p - 1,
             folded->metrics.makespan - folded->metrics.busy.back());
  report.row(
      "simulated idle fraction, Chimera m=p: (p-2)/(2.5p-2)",
      fraction(std::int64_t{2} * (p - 2), std::int64_t{5} * p - 4),
      {by_slots->metrics.idle_fraction, ratio_texts(by_slots->metrics).idle_fraction});
  report.level = step.measured.level;
  report.level_note = how_timed(step);
  report.try_next("./workbook run 18 -m 32: what does a longer step change?");
  report.try_next("./workbook run 18 -p 2 -m 4: is there a bubble left?");
  report.try_next("./workbook run 18 -p 3: what does it say?");
  report.try_next("./workbook schedule dualpipe -p 8 -m 20 --svg dualpipe.svg");
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_chapter(argc, argv, kChapter, two_way_chapter);
}

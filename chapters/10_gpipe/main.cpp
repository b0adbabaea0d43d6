// Chapter 10: GPipe trains what one device would train, bit for bit; and what a step of
// it takes.
//   ./workbook run 10 -p 4 -m 16
#include <algorithm>

#include "classroom/chapter_program.hpp"
#include "classroom/chapter_training.hpp"
#include "classroom/console.hpp"
#include "schedule/generate.hpp"
#include "timeline/fraction.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "10",
    .name = "gpipe",
    .question = "Do p devices train the same network as one, and how much faster?",
    .devices = {4, kMostStages},
    .micro_batches = {16, 64},
    .images = {60000, 60000},
};

// [bubbles]
/// One step in ticks (F = 1, B = 2), and its bubble as four papers would put it.
Expected<std::string> four_bubbles(std::int32_t p, std::int32_t m) {
  const auto schedule = gpipe({.devices = p, .micro_batches = m});
  if (!schedule) return tl::unexpected(schedule.error());
  const auto ticks = simulate(*schedule, Costs{});
  if (!ticks) return tl::unexpected(ticks.error());
  const Metrics seen = measure(*schedule, *ticks);
  const RatioTexts ratios = ratio_texts(seen);
  std::string internal;
  for (const double idle : seen.internal_idle) internal += Quantity(idle).text + " ";
  return format_table(
      {{"bubble", "", "which is"},
       {"idle fraction", ratios.idle_fraction, "idle / makespan"},
       {"idle overhead", ratios.idle_overhead, "idle / ideal"},
       {"span bubble", ratios.span_bubble,
        "(longest span of a device - ideal) / longest span"},
       {"internal idle", internal, "ticks, a device: between first and last action"}});
}
// [bubbles]

/// What a step did with its time.
void add_rows(ChapterReport& report, const TimedStep& step) {
  const std::int32_t p = step.schedule.devices();
  const std::int32_t m = step.schedule.micro_batches;
  const std::string size = ", m=" + std::to_string(m);
  report.row("ms a step: (m+p-1)(F+B)+U" + size, 1e3 * step.expected.makespan,
             1e3 * step.seen.makespan);
  report.row("idle fraction: (p-1)/(m+p-1)" + size, fraction(p - 1, m + p - 1),
             step.seen.idle_fraction);
}

Expected<ChapterReport> gpipe_chapter(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  const std::int32_t m = options.micro_batches;
  const std::int32_t fewer = std::max(1, m / 4);
  const auto data = read_book_images(options.images);
  if (!data) return tl::unexpected(data.error());

  // [train]
  // One device takes the micro-batches one after the other and adds up their gradients.
  // Then two devices, and p, do the same work by GPipe.
  std::vector<TrainingPlan> plans;
  for (const std::int32_t micro_batches : {fewer, m}) {
    plans.push_back({"model-parallel", 1, micro_batches});
    plans.push_back({"gpipe", std::min(2, p), micro_batches});
    plans.push_back({"gpipe", p, micro_batches});
  }
  const auto runs = train_book_network(*data, plans);
  // [train]
  if (!runs) return tl::unexpected(runs.error());
  const DigestComparison same = compare_with_one_device(*runs);
  const auto short_step = time_book_step(*data, "gpipe", p, fewer);
  if (!short_step) return tl::unexpected(short_step.error());
  const auto step = time_book_step(*data, "gpipe", p, m);
  if (!step) return tl::unexpected(step.error());

  ChapterReport report;
  report.say(how_trained(*data));
  report.show(same.table);
  report.draw_both("One step: predicted for stages that are all alike, and measured.",
                   short_step->schedule, short_step->predicted, short_step->measured);
  report.headline("runs on p > 1 with the weights of one", same.runs, same.equal);
  const auto bubbles = four_bubbles(p, m);
  if (!bubbles) return tl::unexpected(bubbles.error());
  report.say("The bubble of the step with m=" + std::to_string(m) +
             " has four definitions in the literature. With F=1 and B=2:");
  report.show(*bubbles);
  report.row("test accuracy, %: at least 85", 85, 100 * same.least_accuracy);
  add_rows(report, *short_step);
  add_rows(report, *step);
  add_held_rows(report, runs->back().report, "m");
  report.level = step->measured.level;
  report.level_note = how_timed(*step);
  report.try_next("./workbook run 10 -m 4: as many micro-batches as devices.");
  report.try_next(
      "./workbook run 10 -p 2: two devices, on the clock where there is a core for "
      "each.");
  report.try_next("./workbook run 10 --svg gpipe.svg: the picture for a browser.");
  report.try_next("./workbook run 13: the same in another order, in less memory.");
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_chapter(argc, argv, kChapter, gpipe_chapter);
}

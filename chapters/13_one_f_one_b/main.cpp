// Chapter 13: 1F1B takes as long as GPipe, and holds p-s micro-batches where GPipe
// holds m.
//   ./workbook run 13 -p 4 -m 16
#include <algorithm>

#include "classroom/chapter_program.hpp"
#include "classroom/chapter_training.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "13",
    .name = "one_f_one_b",
    .question = "Can a step take as long as GPipe's and hold fewer activations?",
    .devices = {4, kMostStages},
    .micro_batches = {16, 64},
    .images = {60000, 60000},
};

Expected<ChapterReport> one_f_one_b_chapter(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  const std::int32_t m = options.micro_batches;
  const std::int32_t fewer = std::max(1, m / 4);
  const auto data = read_book_images(options.images);
  if (!data) return tl::unexpected(data.error());

  // [train]
  // One device, GPipe, and 1F1B on two devices and on p: the same sums in the same
  // order, and so the same weights.
  std::vector<TrainingPlan> plans;
  for (const std::int32_t micro_batches : {fewer, m}) {
    plans.push_back({"model-parallel", 1, micro_batches});
    plans.push_back({"gpipe", p, micro_batches});
    plans.push_back({"1f1b", std::min(2, p), micro_batches});
    plans.push_back({"1f1b", p, micro_batches});
  }
  const auto runs = train_book_network(*data, plans);
  // [train]
  if (!runs) return tl::unexpected(runs.error());
  const DigestComparison same = compare_with_one_device(*runs);
  const auto small_step = time_book_step(*data, "1f1b", p, 2 * p);
  if (!small_step) return tl::unexpected(small_step.error());
  const auto both = time_book_steps(*data, {"1f1b", "gpipe"}, p, m);
  if (!both) return tl::unexpected(both.error());
  const TimedStep& step = both->front();
  const TimedStep& by_gpipe = both->back();

  ChapterReport report;
  report.say(how_trained(*data));
  report.show(same.table);
  report.draw_both("One step: predicted for stages that are all alike, and measured.",
                   small_step->schedule, small_step->predicted, small_step->measured);
  report.row("runs on p > 1 with the weights of one", same.runs, same.equal);
  report.row("test accuracy, %: at least 85", 85, 100 * same.least_accuracy);
  report.row("ms a step: (m+p-1)(F+B)+U", 1e3 * step.expected.makespan,
             1e3 * step.seen.makespan);
  report.headline("time of a 1F1B step over that of GPipe", 1,
                  step.seen.makespan / by_gpipe.seen.makespan);
  add_held_rows(report, runs->back().report, "p-s, or m");
  report.level = step.measured.level;
  report.level_note = how_timed(step);
  report.try_next("./workbook run 13 -m 3: fewer micro-batches than devices.");
  report.try_next(
      "./workbook run 13 -p 2: two devices, on the clock where there is a core for "
      "each.");
  report.try_next(
      "./workbook run 13 --trace step.json: look at it in ui.perfetto.dev.");
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_chapter(argc, argv, kChapter, one_f_one_b_chapter);
}

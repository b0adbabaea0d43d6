// Chapter 08: a network on p devices, one of them busy at a time.
//   ./workbook run 08 -p 2 -m 4
#include "classroom/chapter_program.hpp"
#include "classroom/chapter_training.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "08",
    .name = "model_parallel",
    .question = "Does a network train faster on p devices than on one?",
    .devices = {2, kMostStages},
    .micro_batches = {4, 64},
};

Expected<ChapterReport> model_parallelism(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  const std::int32_t m = options.micro_batches;

  // [run]
  // A stage a device. A micro-batch goes through all of them and back, and then the
  // next one begins.
  const auto stages = stage_table(p);
  if (!stages) return tl::unexpected(stages.error());
  const auto data = read_book_images(512 * m);
  if (!data) return tl::unexpected(data.error());
  const auto step = time_book_step(*data, "model-parallel", p, m);
  if (!step) return tl::unexpected(step.error());
  // [run]

  ChapterReport report;
  report.say("The network, cut into stages:");
  report.show(*stages);
  report.draw_both("One step: predicted for stages that are all alike, and measured.",
                   step->schedule, step->predicted, step->measured);
  report.headline("utilisation: 1/p", fraction(1, p), step->seen.utilisation);
  report.row("idle fraction: (p-1)/p", fraction(p - 1, p), step->seen.idle_fraction);
  report.row("devices' worth of work done: 1", 1, p * step->seen.utilisation);
  report.row("ms a step: pm(F+B)+U", 1e3 * step->expected.makespan,
             1e3 * step->seen.makespan);
  report.level = step->measured.level;
  report.level_note = how_timed(*step);
  report.try_next("./workbook run 08 -p 4: more devices. What becomes of utilisation?");
  report.try_next("./workbook run 08 -m 16: more micro-batches. Does that help?");
  report.try_next("./workbook run 09: let them follow each other.");
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_chapter(argc, argv, kChapter, model_parallelism);
}

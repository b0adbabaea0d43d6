// Chapter 09: micro-batches that follow each other through the stages, on the clock.
//   ./workbook run 09 -p 2 -m 8
#include <algorithm>
#include <numeric>

#include "classroom/chapter_program.hpp"
#include "classroom/chapter_training.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "09",
    .name = "forward_pipeline",
    .question = "Do m micro-batches on p devices really take m+p-1 ticks?",
    .devices = {2, kMostStages},
    .micro_batches = {8, 64},
};

Expected<ChapterReport> forward_pipeline(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  const std::int32_t m = options.micro_batches;
  const auto data = read_book_images(512 * m);
  if (!data) return tl::unexpected(data.error());
  const auto step = time_book_step(*data, "forward", p, m);
  if (!step) return tl::unexpected(step.error());

  // [ticks]
  // A tick is what the slowest stage takes for a forward. The others wait for it, so
  // that the step takes one pass through all stages and m-1 ticks.
  const std::vector<double>& stages = step->forward_seconds;
  const double tick = *std::max_element(stages.begin(), stages.end());
  const double pass = std::accumulate(stages.begin(), stages.end(), 0.0);
  const double by_stages = pass + (m - 1) * tick;
  // [ticks]

  ChapterReport report;
  report.draw_both("Forwards: predicted for stages that are all alike, and measured.",
                   step->schedule, step->predicted, step->measured);
  report.headline("ticks of the slowest stage: m+p-1", m + p - 1,
                  step->seen.makespan / tick);
  report.row("utilisation: m/(m+p-1)", fraction(m, m + p - 1), step->seen.utilisation);
  report.row("ms, by stages: sum t + (m-1) max t", 1e3 * by_stages,
             1e3 * step->seen.makespan);
  report.row("ms that one micro-batch spends inside: sum t", 1e3 * pass,
             1e3 * step->seen.first_latency);
  report.row("ms between two that leave: max t", 1e3 * tick,
             1e3 * step->seen.steady_interval);
  report.level = step->measured.level;
  report.level_note = how_timed(*step);
  report.try_next("./workbook run 09 -m 32: what becomes of utilisation?");
  report.try_next(
      "./workbook run 09 -p 4: with fewer cores than devices, what changes in "
      "the line that names the level?");
  report.try_next(
      "./workbook check 09: messages, and the buffers that they arrive in.");
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_chapter(argc, argv, kChapter, forward_pipeline);
}

// Chapter 01: how long a pipeline takes, and how much of that its devices work.
//   ./workbook run 01 -p 5 -m 20
#include "classroom/chapter_program.hpp"
#include "schedule/generate.hpp"
#include "timeline/fraction.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "01",
    .name = "ticks",
    .question = "How long do p devices take for m micro-batches, one after the other?",
    .devices = {3, 64},
    .micro_batches = {4, 512},
};

Expected<ChapterReport> ticks(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  const std::int32_t m = options.micro_batches;

  // [program]
  // Who does what, in which order: device s runs F0, F1, … on its stage.
  const auto schedule = forward_only({.devices = p, .micro_batches = m});
  if (!schedule) return tl::unexpected(schedule.error());

  // When: every forward takes one tick, and handing over takes none.
  const auto timeline = simulate(*schedule, Costs{});
  if (!timeline) return tl::unexpected(timeline.error());
  const Metrics measured = measure(*schedule, *timeline);
  // [program]

  ChapterReport report;
  report.draw("Forwards only, one tick each. F2 is the forward of micro-batch 2.",
              *schedule, *timeline);
  report.headline("ticks until the last one is out: m+p-1", m + p - 1,
                  measured.makespan);
  report.row("utilisation: m/(m+p-1)", fraction(m, m + p - 1),
             {measured.utilisation, ratio_texts(measured).utilisation});
  report.row("ticks that one micro-batch spends inside: p", p, measured.first_latency);
  report.row("ticks of work, all devices together: p*m", p * m,
             measured.makespan * measured.utilisation * p);
  report.level_note = "Nothing ran: the ticks are counted in the simulated picture.";
  report.try_next(
      "./workbook run 01 -m 32: what does utilisation tend to? Does latency change?");
  report.try_next(
      "./workbook run 01 -p 8 -m 4: fewer micro-batches than devices. Who works when?");
  report.try_next("./workbook check 01: the exercise asks for these numbers.");
  return report;
}

}  // namespace

int main(int argc, char** argv) { return run_chapter(argc, argv, kChapter, ticks); }

// Chapter 02: how to read the picture of a pipeline.
//   ./workbook run 02 -p 6 -m 12
#include "classroom/chapter_program.hpp"
#include "schedule/generate.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "02",
    .name = "timeline",
    .question = "What is there to see in the picture of a pipeline?",
    .devices = {4, 64},
    .micro_batches = {8, 512},
};

// [corners]
/// Ticks before the first action of each device, and after the last one, added up: the
/// two triangles in the corners of the picture.
struct Corners {
  double opening = 0;
  double closing = 0;
};

Corners corners(const Timeline& timeline, double end) {
  Corners sum;
  for (const std::vector<Span>& row : timeline.spans) {
    sum.opening += row.front().start;
    sum.closing += end - row.back().end;
  }
  return sum;
}
// [corners]

Expected<ChapterReport> timeline(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  const std::int32_t m = options.micro_batches;
  const auto schedule = forward_only({.devices = p, .micro_batches = m});
  if (!schedule) return tl::unexpected(schedule.error());

  // The wave of chapter 01.
  const auto wave = simulate(*schedule, Costs{});
  if (!wave) return tl::unexpected(wave.error());
  const Metrics seen = measure(*schedule, *wave);
  const Corners idle = corners(*wave, seen.makespan);

  // [transfer]
  // The same schedule where an activation travels for a tick before the next device
  // has it. The schedule does not change: times are not part of it.
  Costs costs;
  costs.within_node.latency = 1;
  const auto delayed = simulate(*schedule, costs, {.record_transfers = true});
  // [transfer]
  if (!delayed) return tl::unexpected(delayed.error());
  const Metrics later = measure(*schedule, *delayed);

  ChapterReport report;
  report.draw("Transfers are free: the wave runs down one device a tick.", *schedule,
              *wave);
  report.draw("Each activation travels for one tick: the wave is flatter.", *schedule,
              *delayed);
  report.headline("ticks, free transfers: m+p-1", m + p - 1, seen.makespan);
  report.row("idle ticks in the opening corner: p(p-1)/2", p * (p - 1) / 2.0,
             idle.opening);
  report.row("idle ticks in the closing corner: p(p-1)/2", p * (p - 1) / 2.0,
             idle.closing);
  report.row("latency of one micro-batch: p", p, seen.first_latency);
  report.row("ticks between two that leave, pipe full", m > 1 ? 1 : 0,
             seen.steady_interval);
  report.row("transfers: (p-1)m", (p - 1) * m,
             static_cast<double>(delayed->transfers.size()));
  report.row("ticks, transfers of 1: m+p-1 + (p-1)", m + p - 1 + p - 1, later.makespan);
  report.row("latency, transfers of 1: p + (p-1)", 2 * p - 1, later.first_latency);
  report.row("ticks between two that leave, as above", m > 1 ? 1 : 0,
             later.steady_interval);
  report.level_note = "Nothing ran: the ticks are counted in the simulated picture.";
  report.try_next(
      "./workbook run 02 -m 3: fewer micro-batches than devices. Where "
      "is the steady state?");
  report.try_next(
      "./workbook run 02 --svg wave.svg: the picture with its arrows, for "
      "a browser.");
  report.try_next("./workbook run 02 --trace wave.json: the same in ui.perfetto.dev.");
  report.try_next("./workbook check 02: find these times yourself.");
  return report;
}

}  // namespace

int main(int argc, char** argv) { return run_chapter(argc, argv, kChapter, timeline); }

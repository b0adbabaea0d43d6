// Chapter 14: several stages on each device. The pipeline fills with smaller pieces, so
// that the bubble is a v-th, for v times the messages and a little more memory.
//   ./workbook run 14 -p 4 -m 8 -v 2
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "classroom/chapter_program.hpp"
#include "classroom/chapter_training.hpp"
#include "classroom/console.hpp"
#include "schedule/interleaved.hpp"
#include "schedule/numbers.hpp"
#include "timeline/fraction.hpp"
#include "timeline/memory.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"
#include "timeline/table_5.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "14",
    .name = "interleaving",
    .question = "Can the bubble shrink without more micro-batches?",
    .devices = {4, 8},
    .micro_batches = {8, 64},
    .chunks = {2, 4},
    .images = {12000, 60000},
};

/// A device's forward takes 1 and its backward 2, cut into `chunks` parts; messages
/// take `hop`.
Costs cut_into(std::int32_t chunks, double hop) {
  Costs costs;
  costs.stages = {{1.0 / chunks, 1.0 / chunks, 1.0 / chunks}};
  costs.within_node.latency = hop;
  return costs;
}

Expected<Metrics> time_of(const Expected<Schedule>& schedule, const Costs& costs) {
  if (!schedule) return tl::unexpected(schedule.error());
  const auto timeline = simulate(*schedule, costs);
  if (!timeline) return tl::unexpected(timeline.error());
  return measure(*schedule, *timeline);
}

/// 1F1B where a device has one stage.
Expected<Schedule> with_chunks(std::int32_t p, std::int32_t m, std::int32_t chunks) {
  const Shape shape{p, m, 1};
  return chunks == 1 ? one_f_one_b(shape) : interleaved(shape, {.chunks = chunks});
}

// [chunks]
/// The same model on the same devices, cut finer and finer.
Expected<std::string> chunk_table(std::int32_t p, std::int32_t m) {
  std::vector<std::vector<std::string>> cells = {
      {"v", "idle / ideal", "held by device 0", "messages", "c=0", "c=0.1", "c=0.3"}};
  for (const std::int32_t v : {1, 2, 3, 4}) {
    const auto schedule = with_chunks(p, m, v);
    if (!schedule) return tl::unexpected(schedule.error());
    const auto in_ticks = time_of(schedule, Costs());
    if (!in_ticks) return tl::unexpected(in_ticks.error());
    std::vector<std::string> line = {
        std::to_string(v), ratio_texts(*in_ticks).idle_overhead,
        number(memory(*schedule).peak.front(), 2), std::to_string(2 * (p * v - 1))};
    for (const double hop : {0.0, 0.1, 0.3}) {
      const auto metrics = time_of(schedule, cut_into(v, hop));
      if (!metrics) return tl::unexpected(metrics.error());
      line.push_back(number(metrics->makespan, 1));
    }
    cells.push_back(std::move(line));
  }
  return format_table(cells, {0, 2, 3, 4, 5, 6});
}
// [chunks]

std::string verdict(const std::optional<Error>& refusal) {
  return refusal ? "no" : "yes";
}

/// What other systems say of 11 micro-batches on 4 devices.
std::string refusals() {
  std::string words;
  for (const auto& refusal :
       {refused_by_pytorch(4, 11), refused_by_megatron(4, 11, 4)}) {
    if (refusal) words += refusal->what + ": " + refusal->remedy + ". ";
  }
  return words;
}

/// What is to be done with micro-batches that are left over.
Expected<std::string> group_table() {
  constexpr std::int32_t p = 4;
  std::vector<std::vector<std::string>> cells = {
      {"m", "groups", "ticks", "ideal", "PyTorch takes m", "Megatron-LM takes G"}};
  for (const auto& [m, group] : std::vector<std::pair<std::int32_t, std::int32_t>>{
           {8, 4}, {10, 4}, {10, 5}, {11, 4}, {11, 0}, {3, 0}}) {
    const auto sizes = interleaved_groups(p, m, group);
    std::string groups;
    for (const std::int32_t size : sizes) {
      groups += (groups.empty() ? "" : "+") + std::to_string(size);
    }
    const auto metrics =
        time_of(interleaved({p, m, 1}, {.chunks = 2, .group_size = group}), Costs());
    if (!metrics) return tl::unexpected(metrics.error());
    cells.push_back({std::to_string(m), groups, number(metrics->makespan, 0),
                     number(metrics->ideal, 0), verdict(refused_by_pytorch(p, m)),
                     verdict(refused_by_megatron(p, m, sizes.front()))});
  }
  return format_table(cells, {0, 2, 3});
}

/// Against what the zero-bubble paper prints for interleaving.
Expected<std::string> paper_table() {
  const auto rate = [](double value) {
    char text[16];
    std::snprintf(text, sizeof text, "%.4f", value);
    return std::string(text);
  };
  std::vector<std::vector<std::string>> cells = {
      {"p", "m", "v", "1F1B", "interleaved", "as printed"}};
  for (const Table5Row& row : kTable5) {
    const Shape shape{row.devices, row.micro_batches, 1};
    const auto by_1f1b = time_of(one_f_one_b(shape), row.costs());
    if (!by_1f1b) return tl::unexpected(by_1f1b.error());
    const auto by_chunks =
        time_of(interleaved(shape, {.chunks = row.chunks, .group_size = row.devices}),
                row.costs(row.chunks));
    if (!by_chunks) return tl::unexpected(by_chunks.error());
    cells.push_back({std::to_string(row.devices), std::to_string(row.micro_batches),
                     std::to_string(row.chunks), rate(by_1f1b->span_bubble),
                     rate(by_chunks->span_bubble), rate(row.interleaved_as_printed)});
  }
  return format_table(cells, {0, 1, 2, 3, 4, 5});
}

Expected<ChapterReport> interleaving_chapter(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  const std::int32_t m = options.micro_batches;
  const std::int32_t v = options.chunks;
  const auto data = read_book_images(options.images);
  if (!data) return tl::unexpected(data.error());

  const auto chunks = chunk_table(p, m);
  if (!chunks) return tl::unexpected(chunks.error());
  const auto groups = group_table();
  if (!groups) return tl::unexpected(groups.error());
  const auto paper = paper_table();
  if (!paper) return tl::unexpected(paper.error());
  const auto schedule = interleaved({p, m, 1}, {.chunks = v});
  if (!schedule) return tl::unexpected(schedule.error());
  const auto ticks = simulate(*schedule, Costs{});
  if (!ticks) return tl::unexpected(ticks.error());

  // [train]
  // Device r holds the stages r, p+r, 2p+r, …; the sums are those of one device.
  const auto runs = train_book_network(
      *data, {{"model-parallel", 1, m}, {"1f1b", p, m}, {"interleaved", p, m, v}},
      Depth::Eight);
  // [train]
  if (!runs) return tl::unexpected(runs.error());
  const DigestComparison same = compare_with_one_device(*runs);
  const auto steps =
      time_book_steps(*data, {{"interleaved", p, m, v}, {"1f1b", p, m}}, Depth::Eight);
  if (!steps) return tl::unexpected(steps.error());
  const TimedStep& step = steps->front();
  const TimedStep& by_1f1b = steps->back();
  const Metrics in_ticks = measure(*schedule, *ticks);

  ChapterReport report;
  report.draw("F=1 and B=2 of a stage.", *schedule, *ticks);
  report.say(
      "The same model on the same devices, in v parts each: idle time over ideal time, "
      "micro-batches held, messages of a micro-batch, and the time of a step when the "
      "forward of a device takes 1 and its backward 2, with messages that take c:");
  report.show(*chunks);
  report.say(
      "Four devices, two stages each, F=1 and B=2 of a stage. Micro-batches that do "
      "not fill the last group:");
  report.show(*groups);
  report.say("What is wrong with m=11, in groups of 4: " + refusals());
  report.say(
      "Span bubble with the times that the zero-bubble paper measured (its table 5), "
      "chunks being equal parts of a stage:");
  report.show(*paper);
  report.say(how_trained(*data));
  report.show(same.table);
  report.row("runs on p > 1 with the weights of one", same.runs, same.equal);
  report.row("idle overhead in ticks: at least (p-1)/(v*m)",
             fraction(p - 1, std::int64_t{v} * m),
             Quantity(in_ticks.idle_overhead, ratio_texts(in_ticks).idle_overhead));
  report.row("ms a step, interleaved", 1e3 * step.expected.makespan,
             1e3 * step.seen.makespan);
  report.headline("time of an interleaved step over that of 1F1B",
                  step.expected.makespan / by_1f1b.expected.makespan,
                  step.seen.makespan / by_1f1b.seen.makespan);
  const TrainingReport& trained = runs->back().report;
  const auto held = memory(trained.schedule).peak_chunks;
  for (std::size_t r = 0; r < held.size(); ++r) {
    report.row("activations of a stage held by device " + std::to_string(r), held[r],
               trained.last_run.peak_live[r]);
  }
  report.level = step.measured.level;
  report.level_note = how_timed(step);
  report.try_next("./workbook run 14 -v 4: what do four stages a device hold?");
  report.try_next("./workbook run 14 -m 3: fewer micro-batches than devices.");
  report.try_next(
      "./workbook schedule interleaved -p 4 -m 10 -v 2 --group-size 4: a last group "
      "that is not full.");
  report.try_next("./workbook check 14: the groups and the rows yourself.");
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_chapter(argc, argv, kChapter, interleaving_chapter);
}

// Chapter 19: a few long sequences fill a pipeline, cut into slices of tokens.
//   ./workbook run 19 -p 8 -m 1
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "classroom/chapter_program.hpp"
#include "classroom/console.hpp"
#include "schedule/generate.hpp"
#include "schedule/numbers.hpp"
#include "schedule/slicing.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "19",
    .name = "token_slices",
    .question = "How can a few long sequences fill a pipeline?",
    .devices = {4, 64},
    .micro_batches = {3, 64},
};

// [costs]
// 16 units of tokens in a sequence. A forward costs a stage 4 ticks whatever it is of,
// 1 for each unit and 1/8 for each pair of units of which one attends to the other. Two
// sequences side by side fill a device better: together they cost as one and a half.
constexpr std::int32_t kLength = 16;

SliceTimes times_of(std::int32_t sequences) {
  const std::int32_t pairs = sequences / 2;
  const double work = 1.5 * pairs + sequences % 2;
  return slice_times(kLength, {.fixed = 4, .per_token = work, .per_pair = work / 8});
}
// [costs]

/// A way to run the batch: how many slices each micro-batch is cut into, and what a
/// forward of each part takes, in order.
struct Parts {
  std::vector<std::int32_t> slices;
  std::vector<double> times;

  /// Forwards pass through p devices in their sum and p-1 times the longest; a backward
  /// takes twice as long.
  double predicted(std::int32_t devices) const {
    return 3 * (std::accumulate(times.begin(), times.end(), 0.0) +
                (devices - 1) * *std::max_element(times.begin(), times.end()));
  }
};

/// Every sequence a micro-batch of its own, all cut at the same places.
Parts each_cut_into(const std::vector<double>& slices, std::int32_t sequences) {
  Parts parts;
  for (std::int32_t k = 0; k < sequences; ++k) {
    parts.slices.push_back(static_cast<std::int32_t>(slices.size()));
    parts.times.insert(parts.times.end(), slices.begin(), slices.end());
  }
  return parts;
}

std::vector<double> equal_slices(std::int32_t count) {
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(count));
  const std::int32_t tokens = kLength / count;
  for (std::int32_t j = 0; j < count; ++j) {
    times.push_back(times_of(1).of(tokens, j * tokens));
  }
  return times;
}

Parts parts_of(const BatchSlicing& batch) {
  Parts parts;
  for (const Slicing& slicing : batch.slicings) {
    parts.slices.push_back(static_cast<std::int32_t>(slicing.times.size()));
    parts.times.insert(parts.times.end(), slicing.times.begin(), slicing.times.end());
  }
  return parts;
}

struct Run {
  Schedule schedule;
  Timeline timeline;
  double ticks = 0;
};

// [simulate]
// Micro-batches are cut into slices by the schedule; what each slice weighs is for the
// costs to say.
Expected<Run> run(const Parts& parts, std::int32_t devices) {
  const auto micro_batches = static_cast<std::int32_t>(parts.slices.size());
  auto schedule = token_slices({devices, micro_batches}, parts.slices);
  if (!schedule) return tl::unexpected(schedule.error());
  Costs costs;
  costs.part_weights = parts.times;
  auto timeline = simulate(*schedule, costs);
  if (!timeline) return tl::unexpected(timeline.error());
  const double ticks = measure(*schedule, *timeline).makespan;
  return Run{std::move(*schedule), std::move(*timeline), ticks};
}
// [simulate]

/// The least sum and (p-1) longest over all 2^15 ways to cut one sequence.
double least_of_all_cuts(std::int32_t devices) {
  const SliceTimes times = times_of(1);
  double least = 3 * devices * times.of(kLength, 0);
  for (std::uint32_t cuts = 0; cuts < (1U << (kLength - 1)); ++cuts) {
    Parts parts;
    std::int32_t begin = 0;
    for (std::int32_t end = 1; end <= kLength; ++end) {
      if (end < kLength && (cuts >> (end - 1) & 1U) == 0) continue;
      parts.times.push_back(times.of(end - begin, begin));
      begin = end;
    }
    least = std::min(least, parts.predicted(devices));
  }
  return least;
}

std::string joined(const std::vector<std::int32_t>& numbers) {
  std::string text;
  for (const std::int32_t number : numbers) {
    text += (text.empty() ? "" : " ") + std::to_string(number);
  }
  return text;
}

/// Equal slices of one sequence, from the whole of it to the finest, and the best ones.
std::string table_of_slices(const Slicing& best, std::int32_t devices) {
  std::vector<std::vector<std::string>> cells = {
      {"slices", "of tokens", "sum", "longest", "ticks"}};
  const auto add = [&](const std::string& lengths, const std::vector<double>& times) {
    const Parts parts{{}, times};
    cells.push_back({std::to_string(times.size()), lengths,
                     short_number(std::accumulate(times.begin(), times.end(), 0.0)),
                     short_number(*std::max_element(times.begin(), times.end())),
                     short_number(parts.predicted(devices))});
  };
  for (std::int32_t count = 1; count <= kLength; count *= 2) {
    add(std::to_string(kLength / count) + " each", equal_slices(count));
  }
  add(joined(best.lengths), best.times);
  return format_table(cells, {0, 2, 3, 4});
}

/// "2 sequences in slices of 6 4 3 3, 3 times; 1 sequence in slices of 16".
std::string in_words(const BatchSlicing& batch) {
  std::string text;
  for (std::size_t i = 0; i < batch.rows.size();) {
    std::size_t next = i;
    while (next < batch.rows.size() && batch.rows[next] == batch.rows[i]) ++next;
    text += (text.empty() ? "" : "; ") + counted(batch.rows[i], "sequence") +
            " in slices of " + joined(batch.slicings[i].lengths);
    if (next - i > 1) text += ", " + std::to_string(next - i) + " times";
    i = next;
  }
  return text;
}

Expected<ChapterReport> token_slices_chapter(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  const std::int32_t m = options.micro_batches;

  // [slice]
  const auto best = best_slicing(times_of(1), p);
  if (!best) return tl::unexpected(best.error());
  std::vector<SliceTimes> of_sequences;
  for (std::int32_t b = 1; b <= m; ++b) of_sequences.push_back(times_of(b));
  const auto together = best_batch_slicing(of_sequences, p);
  // [slice]
  if (!together) return tl::unexpected(together.error());

  const Parts whole = each_cut_into(equal_slices(1), m);
  const Parts quarters = each_cut_into(equal_slices(4), m);
  const Parts sliced = each_cut_into(best->times, m);
  const Parts batch = parts_of(*together);
  const auto by_sequence = run(whole, p);
  const auto by_quarter = run(quarters, p);
  const auto by_slice = run(sliced, p);
  const auto by_both = run(batch, p);
  for (const auto* each : {&by_sequence, &by_quarter, &by_slice, &by_both}) {
    if (!*each) return tl::unexpected(each->error());
  }

  ChapterReport report;
  report.say("One sequence of 16 units of tokens on " + std::to_string(p) +
             " devices, forward and backward:");
  report.show(table_of_slices(*best, p));
  report.draw("Each sequence is one micro-batch.", by_sequence->schedule,
              by_sequence->timeline);
  report.draw("The best for the batch as a whole: " + in_words(*together) + ".",
              by_both->schedule, by_both->timeline);
  report.row("ticks, whole sequences: 3(m+p-1)t",
             3 * (m + p - 1) * times_of(1).of(16, 0), by_sequence->ticks);
  report.row("ticks, 4 equal slices: 3(sum t+(p-1)max t)", quarters.predicted(p),
             by_quarter->ticks);
  report.row("ticks, each in the slices best for one", sliced.predicted(p),
             by_slice->ticks);
  report.headline("ticks, batch split and sliced together", 3 * together->total,
                  by_both->ticks);
  report.row("one sequence: the least of 32768 cuts", least_of_all_cuts(p),
             3 * best->total);
  report.level_note =
      "Nothing ran: forwards and backwards were simulated, a backward as long as two "
      "forwards. Slices are executed with the transformer of chapter 24.";
  report.try_next("./workbook run 19 -m 1: a single sequence. How many slices now?");
  report.try_next("./workbook run 19 -p 16: are more slices wanted, or fewer?");
  report.try_next(
      "./workbook run 19 -m 32: with many sequences, is there anything left to cut?");
  report.try_next("./workbook check 19: find the best slices yourself.");
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_chapter(argc, argv, kChapter, token_slices_chapter);
}

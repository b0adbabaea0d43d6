// Chapter 15: a pipeline that never runs empty, and what its weights are then.
//   ./workbook run 15 -p 4 -m 8
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "classroom/chapter_program.hpp"
#include "classroom/chapter_training.hpp"
#include "classroom/console.hpp"

namespace {

using namespace pipeline;

constexpr std::int32_t kTimedSteps = 4;

const ChapterInfo kChapter = {
    .number = "15",
    .name = "pipedream",
    .question = "What does it cost never to let the pipeline run empty?",
    .devices = {4, kMostStages},
    .micro_batches = {8, 64},
    .images = {60000, 60000},
};

/// A way to keep the weights consistent, and how it trains.
struct Way {
  std::string name;
  TrainingRun run;
};

/// Mean loss of the last tenth of the steps.
double last_loss(const TrainingReport& report) {
  const std::size_t count = std::max<std::size_t>(report.step_loss.size() / 10, 1);
  return std::accumulate(report.step_loss.end() - static_cast<std::ptrdiff_t>(count),
                         report.step_loss.end(), 0.0) /
         static_cast<double>(count);
}

std::string with_decimals(double value, int decimals) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string numbers(const std::vector<std::int32_t>& values) {
  std::string text;
  for (const std::int32_t value : values) {
    text += (text.empty() ? "" : " ") + std::to_string(value);
  }
  return text;
}

std::string table_of(const std::vector<Way>& ways) {
  std::vector<std::vector<std::string>> cells = {
      {"", "devices", "updates", "versions", "staleness", "loss", "accuracy"}};
  for (const Way& way : ways) {
    const TrainingReport& report = way.run.report;
    const Schedule& schedule = report.schedule;
    const auto updates = static_cast<std::int32_t>(report.step_loss.size()) *
                         schedule.micro_batches / schedule.micro_batches_per_update();
    cells.push_back({way.name, std::to_string(schedule.devices()),
                     std::to_string(updates), numbers(report.last_run.weight_versions),
                     numbers(report.last_run.most_stale),
                     with_decimals(last_loss(report), 3),
                     with_decimals(100 * report.test_accuracy, 2) + " %"});
  }
  return format_table(cells, {1, 2, 5, 6});
}

/// Versions and staleness of each device: what the papers say, and what the work of the
/// stages counted.
void add_version_rows(ChapterReport& report, const TrainingReport& stashed,
                      std::int32_t devices) {
  for (std::int32_t s = 0; s < devices; ++s) {
    report.row("versions of the weights on device " + std::to_string(s) + ": p-s",
               devices - s,
               stashed.last_run.weight_versions[static_cast<std::size_t>(s)]);
  }
  for (std::int32_t s = 0; s < devices; ++s) {
    report.row("updates behind, on device " + std::to_string(s) + ": p-1-s",
               devices - 1 - s,
               stashed.last_run.most_stale[static_cast<std::size_t>(s)]);
  }
}

/// How the weights are kept consistent, and how they are trained then.
std::vector<std::pair<std::string, TrainingPlan>> plans_of(std::int32_t p,
                                                           std::int32_t m) {
  // [train]
  // With a flush an update takes in a batch of m micro-batches. Without, each
  // micro-batch is a batch of its own: m times as many updates, each by an m-th of the
  // rows, and so at an m-th of the rate. On one device none of them is stale, on p
  // devices they are. 2BW takes in whole batches again, one update late.
  const TrainingPlan flush = {.schedule = "1f1b", .devices = p, .micro_batches = m};
  TrainingPlan one_by_one = {
      .schedule = "pipedream", .devices = 1, .micro_batches = m, .rate = kBookRate / m};
  TrainingPlan stash = one_by_one;
  stash.devices = p;
  TrainingPlan vertical = stash;
  vertical.schedule = "pipedream-vertical-sync";
  TrainingPlan double_buffered = flush;
  double_buffered.schedule = "pipedream-2bw";
  // [train]
  double_buffered.micro_batches = std::max(m, p);  // fewer would need more versions
  return {{"flush", flush},
          {"one by one", one_by_one},
          {"stash", stash},
          {"vertical sync", vertical},
          {"2BW", double_buffered}};
}

Expected<std::vector<Way>> train_each_way(const FashionMnist& data, std::int32_t p,
                                          std::int32_t m) {
  std::vector<Way> ways;
  for (const auto& [name, plan] : plans_of(p, m)) {
    auto runs = train_book_network(data, {plan});
    if (!runs) return tl::unexpected(runs.error());
    ways.push_back({name, std::move(runs->front())});
  }
  return ways;
}

double accuracy_of(const Way& way) { return 100 * way.run.report.test_accuracy; }

Expected<ChapterReport> pipedream_chapter(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  const std::int32_t m = options.micro_batches;
  const auto data = read_book_images(options.images);
  if (!data) return tl::unexpected(data.error());
  const auto ways = train_each_way(*data, p, m);
  if (!ways) return tl::unexpected(ways.error());
  const auto timed = time_book_steps(*data, {{"pipedream", p, m}, {"1f1b", p, m}},
                                     Depth::Four, kTimedSteps);
  if (!timed) return tl::unexpected(timed.error());
  const auto picture =
      time_book_steps(*data, {{"pipedream", p, 2 * p}}, Depth::Four, 1);
  if (!picture) return tl::unexpected(picture.error());
  const TimedStep& step = timed->front();
  const TimedStep& flushed = timed->back();
  const TimedStep& drawn = picture->front();

  ChapterReport report;
  report.show("Trained on " + std::to_string(data->train.count) +
              " images of Fashion-MNIST, two epochs, " + std::to_string(m) +
              " micro-batches in\na batch. Versions and staleness (updates behind) are "
              "those of each device.");
  report.show(table_of(*ways));
  report.draw_both("No flush: forwards go on, and an update follows each backward.",
                   drawn.schedule, drawn.predicted, drawn.measured);
  report.headline("time of 4 steps over that with flushes",
                  step.expected.makespan / flushed.expected.makespan,
                  step.seen.makespan / flushed.seen.makespan);
  report.row("test accuracy, %, with flushes: at least 85", 85,
             accuracy_of(ways->front()));
  for (std::size_t i = 1; i < ways->size(); ++i) {
    report.row("test accuracy, %, " + (*ways)[i].name + ", and with flushes",
               accuracy_of(ways->front()), accuracy_of((*ways)[i]));
  }
  add_version_rows(report, (*ways)[2].run.report, p);
  report.level = step.measured.level;
  report.level_note = how_timed(step);
  report.try_next("./workbook run 15 -p 2: only one stage is stale.");
  report.try_next("./workbook run 15 -m 32: smaller micro-batches, more updates.");
  report.try_next("./workbook schedule pipedream -p 4 -m 8 --steps 2");
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_chapter(argc, argv, kChapter, pipedream_chapter);
}

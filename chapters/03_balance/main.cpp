// Chapter 03: which layers make a stage, when layers differ.
//   ./workbook run 03 -p 2 -m 8
//   ./workbook run 03 --layout 1,2,6
#include <algorithm>
#include <cstdio>
#include <memory>

#include "classroom/chapter_program.hpp"
#include "classroom/chapter_timing.hpp"
#include "classroom/console.hpp"
#include "planning/balance.hpp"
#include "runtime/replay.hpp"
#include "schedule/generate.hpp"
#include "timeline/costs_from.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace {

using namespace pipeline;

constexpr std::int32_t kInputs = 784;
constexpr std::int32_t kClasses = 10;
constexpr std::int32_t kLayers = 9;

const ChapterInfo kChapter = {
    .number = "03",
    .name = "balance",
    .question = "Which layers should make a stage?",
    .devices = {2, kLayers},
    .micro_batches = {8, 64},
    .layouts = true,
};

/// Wide in front and narrow behind, as many networks are: layers that cost more in
/// front, and less behind.
Network tapered_network() {
  Network network;
  network.push_back(linear(kInputs, 768));
  network.push_back(relu(768));
  network.push_back(linear(768, 256));
  network.push_back(relu(256));
  network.push_back(linear(256, 256));
  network.push_back(relu(256));
  network.push_back(linear(256, 512));
  network.push_back(relu(512));
  network.push_back(linear(512, kClasses));
  return network;
}

/// One way to cut the network, and the 1F1B step that it makes.
struct Cut {
  std::string name;  ///< "equal counts"
  LayerSplit split;
  Pace pace;
  Schedule schedule;
  Timeline predicted;
  Timeline measured;

  double seconds_predicted() const { return measure(schedule, predicted).makespan; }
  double seconds_measured() const { return measure(schedule, measured).makespan; }
};

/// Predicted from what each layer took alone; measured with the layers of each stage
/// together.
Expected<Cut> try_cut(const std::string& name, const LayerSplit& split,
                      const Network& network, const Costs& layers,
                      const ChapterOptions& options, std::int32_t rows) {
  const auto p = static_cast<std::int32_t>(split.size()) - 1;
  show_status("timing a step, layout " + layout_text(split));
  // [predict]
  const Costs stages = costs_of_stages(layers, split);
  auto pace = pace_of(stages, p);
  if (!pace) return tl::unexpected(pace.error());
  auto schedule = one_f_one_b({.devices = p, .micro_batches = options.micro_batches});
  if (!schedule) return tl::unexpected(schedule.error());
  auto predicted = simulate(*schedule, stages);
  if (!predicted) return tl::unexpected(predicted.error());
  // [predict]

  const auto platform = make_platform(p);
  if (!platform) return tl::unexpected(platform.error());
  const auto placed =
      PlacedNetwork::place(**platform, network, split, schedule->placement, /*seed=*/1);
  if (!placed) return tl::unexpected(placed.error());
  const MadeUpRows data(rows * options.micro_batches, kInputs, kClasses);
  const Batch batch = data.batch();
  auto measured = time_schedule(**placed, *schedule, {&batch, 1},
                                measure_action_costs(**placed, rows));
  if (!measured) return tl::unexpected(measured.error());
  return Cut{name,
             split,
             std::move(*pace),
             std::move(*schedule),
             std::move(*predicted),
             std::move(*measured)};
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", 1e3 * seconds);
  return text;
}

/// A line a layer: what it takes, and in which stage each cut puts it.
std::string layer_table(const Network& network, const Costs& layers,
                        const std::vector<Cut>& cuts) {
  std::vector<std::vector<std::string>> cells = {{"layer", "F, ms", "B, ms"}};
  for (const Cut& cut : cuts) cells.front().push_back(cut.name);
  for (std::size_t i = 0; i < network.size(); ++i) {
    const StageCosts& costs = layers.stages[i];
    auto& line = cells.emplace_back(
        std::vector<std::string>{network[i]->name(), milliseconds(costs.forward),
                                 milliseconds(costs.backward())});
    for (const Cut& cut : cuts) {
      const auto stage = std::upper_bound(cut.split.begin(), cut.split.end(), i);
      line.push_back("stage " + std::to_string(stage - cut.split.begin() - 1));
    }
  }
  return format_table(cells, {1, 2});
}

void add_rows(ChapterReport& report, const Cut& cut) {
  const Costs seen = costs_from(cut.schedule, cut.measured);
  double slowest = 0;
  for (const StageCosts& stage : seen.stages) {
    slowest = std::max(slowest, stage.forward + stage.backward());
  }
  report.row("ms of F and B on the slowest stage, " + cut.name, 1e3 * cut.pace.interval,
             1e3 * slowest);
  report.row("ms a step, " + cut.name + " " + layout_text(cut.split),
             1e3 * cut.seconds_predicted(), 1e3 * cut.seconds_measured());
}

Expected<ChapterReport> balance(const ChapterOptions& options) {
  const Network network = tapered_network();
  const std::int32_t rows = 256;
  std::vector<std::pair<std::string, Expected<LayerSplit>>> splits;
  if (!options.layout.empty()) {
    splits.emplace_back("as asked", explicit_split(kLayers, options.layout));
    if (!splits[0].second) return tl::unexpected(splits[0].second.error());
  }
  const auto one = make_platform(1);
  if (!one) return tl::unexpected(one.error());
  show_status("timing the layers");

  // [cut]
  // What each layer costs, measured alone, decides which of them make a stage.
  const auto layers = measure_layer_costs(**one, network, rows);
  if (!layers) return tl::unexpected(layers.error());
  const std::int32_t p = options.devices;
  splits.emplace_back("equal counts", even_split(kLayers, p));
  splits.emplace_back("by cost", optimal_split(*layers, p));
  // [cut]

  std::vector<Cut> cuts;
  for (const auto& [name, split] : splits) {
    if (!split) return tl::unexpected(split.error());
    auto cut = try_cut(name, *split, network, *layers, options, rows);
    if (!cut) return tl::unexpected(cut.error());
    cuts.push_back(std::move(*cut));
  }

  ChapterReport report;
  report.say("What each layer takes for a micro-batch, and the stage that it is in:");
  report.show(layer_table(network, *layers, cuts));
  for (const Cut& cut : cuts) {
    report.draw_both(
        "A step of 1F1B, layers cut " + cut.name + ": " + layout_text(cut.split) + ".",
        cut.schedule, cut.predicted, cut.measured);
  }
  for (const Cut& cut : cuts) add_rows(report, cut);
  const Cut& by_cost = cuts.back();
  const Cut& by_count = cuts[cuts.size() - 2];
  report.headline("time by equal counts over time by cost",
                  by_count.seconds_predicted() / by_cost.seconds_predicted(),
                  by_count.seconds_measured() / by_cost.seconds_measured());
  report.level = by_cost.measured.level;
  report.level_note = how_timed(report.level, p);
  report.try_next("./workbook run 03 --layout 3,6: a cut somewhere between the two.");
  report.try_next("./workbook run 03 -m 64: what becomes of the ratio of the two?");
  report.try_next("./workbook run 03 -p 4: four stages. Can they be alike?");
  return report;
}

}  // namespace

int main(int argc, char** argv) { return run_chapter(argc, argv, kChapter, balance); }

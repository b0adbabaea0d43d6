#include "classroom/chapter_timing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "layers/random.hpp"
#include "runtime/replay.hpp"
#include "timeline/metrics.hpp"

namespace pipeline {

MadeUpRows::MadeUpRows(std::int32_t rows, std::int32_t columns, std::int32_t classes)
    : rows_(rows) {
  Random random(11);
  inputs_.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (float& input : inputs_) input = static_cast<float>(2 * random.uniform() - 1);
  for (std::int32_t row = 0; row < rows; ++row) labels_.push_back(row % classes);
}

std::size_t median_index(std::span<const double> lengths) {
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(
      order.begin(), order.end(),
      [&lengths](std::size_t a, std::size_t b) { return lengths[a] < lengths[b]; });
  return order[order.size() / 2];
}

Expected<RunResult> run_on_the_clock(PlacedNetwork& network, const Schedule& schedule,
                                     std::span<const Batch> batches,
                                     const ExecutorOptions& options) {
  std::int32_t most_rows = 0;
  for (const Batch& batch : batches) most_rows = std::max(most_rows, batch.rows);
  const auto executor = Executor::make(network, schedule, most_rows, options);
  if (!executor) return tl::unexpected(executor.error());
  std::vector<RunResult> runs;
  std::vector<double> makespans;
  for (int run = 0; run <= kTimedRuns; ++run) {
    if (const auto ran = (*executor)->run(batches); !ran) {
      return tl::unexpected(ran.error());
    }
    if (run == 0) continue;  // sees the shapes for the first time
    runs.push_back((*executor)->result());
    makespans.push_back(measure(schedule, runs.back().timeline).makespan);
  }
  return std::move(runs[median_index(makespans)]);
}

Expected<Timeline> time_schedule(PlacedNetwork& network, const Schedule& schedule,
                                 std::span<const Batch> batches, const Costs& alone) {
  if (honest_level(network.platform()) == Level::Replay) return replay(schedule, alone);
  return run_on_the_clock(network, schedule, batches).transform([](RunResult&& result) {
    return std::move(result.timeline);
  });
}

Costs all_alike(const Costs& measured) {
  Costs costs;
  StageCosts& mean = costs.stages.front();
  mean = {0, 0, 0, 0, 0, 0};
  const auto count = static_cast<double>(measured.stages.size());
  for (const StageCosts& stage : measured.stages) {
    mean.forward += stage.forward / count;
    mean.input_gradient += stage.input_gradient / count;
    mean.weight_gradient += stage.weight_gradient / count;
    mean.recompute += stage.recompute / count;
    mean.update += stage.update / count;
  }
  mean.overlapped = mean.forward + mean.backward();
  return costs;
}

std::string other_work() {
  double load = 0;
  if (getloadavg(&load, 1) != 1 || load < usable_cores() + 1) return "";
  return " Other programs keep this machine busy (load " +
         std::to_string(std::lround(load)) + " on " + std::to_string(usable_cores()) +
         " cores): expect times above the predicted ones.";
}

std::string how_timed(Level level, std::int32_t devices) {
  if (level != Level::Replay) {
    return "Each device had a core or a GPU to itself: times are from the clock." +
           other_work();
  }
  return std::to_string(devices) + " devices share " + std::to_string(usable_cores()) +
         " cores, and the clock would show how they take turns. So each action was "
         "timed alone, and the step simulated with these times.";
}

}  // namespace pipeline

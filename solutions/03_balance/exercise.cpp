// Exercise 03: balance. The task is in exercises/03_balance/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace pipeline {

std::vector<std::int32_t> even_counts(std::int32_t layers, std::int32_t stages) {
  // <solution>
  // What is left over is less than a layer for each stage, and nothing may be dropped.
  std::vector<std::int32_t> counts(static_cast<std::size_t>(stages), layers / stages);
  for (std::int32_t s = 0; s < layers % stages; ++s) {
    ++counts[static_cast<std::size_t>(s)];
  }
  return counts;
  //~ // Your turn: what becomes of the layers that are left over?
  //~ return {};
  // </solution>
}

double slowest_stage(const std::vector<double>& times,
                     const std::vector<std::int32_t>& counts) {
  // <solution>
  double slowest = 0;
  auto layer = times.begin();
  for (const std::int32_t count : counts) {
    slowest = std::max(slowest, std::accumulate(layer, layer + count, 0.0));
    layer += count;
  }
  return slowest;
  //~ // Your turn: add up the layers of each stage. Which sum counts?
  //~ return 0;
  // </solution>
}

double step_time(const std::vector<double>& stage_times, std::int32_t micro_batches) {
  // <solution>
  // The first micro-batch goes through all stages. Each of the others leaves a tick
  // after the one before it, and the tick is the slowest stage's time.
  const double pass = std::accumulate(stage_times.begin(), stage_times.end(), 0.0);
  const double tick = *std::max_element(stage_times.begin(), stage_times.end());
  return pass + (micro_batches - 1) * tick;
  //~ // Your turn: when is the first micro-batch out, and when each one after it?
  //~ return 0;
  // </solution>
}

std::vector<std::int32_t> balanced_counts(const std::vector<double>& times,
                                          std::int32_t stages) {
  // <solution>
  // The best split of the first `end` layers into s stages is, for the right last stage
  // [first, end), the best split of the layers before it into s-1 stages.
  const auto layers = static_cast<std::int32_t>(times.size());
  struct Best {
    double slowest = std::numeric_limits<double>::infinity();
    std::int32_t last_stage = 0;  // how many layers it has
  };
  std::vector<std::vector<Best>> best(
      static_cast<std::size_t>(stages) + 1,
      std::vector<Best>(static_cast<std::size_t>(layers) + 1));
  best[0][0].slowest = 0;
  for (std::size_t s = 1; s < best.size(); ++s) {
    for (std::size_t end = s; end <= times.size(); ++end) {
      double last = 0;
      for (std::size_t first = end; first-- >= s;) {
        last += times[first];
        const double slowest = std::max(best[s - 1][first].slowest, last);
        if (slowest >= best[s][end].slowest) continue;
        best[s][end] = {slowest, static_cast<std::int32_t>(end - first)};
      }
    }
  }
  // Read the stages off from the last one to the first.
  std::vector<std::int32_t> counts(static_cast<std::size_t>(stages));
  std::size_t end = times.size();
  for (std::size_t s = counts.size(); s > 0; --s) {
    counts[s - 1] = best[s][end].last_stage;
    end -= static_cast<std::size_t>(counts[s - 1]);
  }
  return counts;
  //~ // Your turn: would it help to know the best splits into one stage less?
  //~ return {};
  // </solution>
}

}  // namespace pipeline

// Token slices in time: what the slicing promises is what the pipeline takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/slicing.hpp"
#include "schedule/verify.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

// A stage that takes F=1, I=1 and W=1 times what a part weighs.
Metrics time(std::int32_t p, std::int32_t steps,
             const std::vector<std::int32_t>& slices,
             const std::vector<double>& weights) {
  const auto m = static_cast<std::int32_t>(slices.size());
  const auto schedule = token_slices({p, m, steps}, slices);
  if (!schedule || !verify(*schedule).empty()) return {};
  Costs costs;
  costs.part_weights = weights;
  const auto timeline = simulate(*schedule, costs);
  return timeline ? measure(*schedule, *timeline) : Metrics{};
}

// Forwards pass through like a pipeline of unequal parts, and so do backwards.
double sum_and_longest(std::int32_t p, const std::vector<double>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0) +
         (p - 1) * *std::max_element(weights.begin(), weights.end());
}

TEST(TokenSliceTimes, AreTheSumOfThePartsAndTheLongestForEachFurtherDevice) {
  for (std::int32_t p = 1; p <= 8; ++p) {
    for (std::int32_t m = 1; m <= 17; ++m) {
      std::vector<std::int32_t> slices;
      std::vector<double> weights;
      for (std::int32_t k = 0; k < m; ++k) {
        slices.push_back(1 + (k * 5 + p) % 4);
        for (std::int32_t j = 0; j < slices.back(); ++j) {
          weights.push_back(0.5 + (k * 7 + j * 3) % 5);
        }
      }
      EXPECT_NEAR(time(p, 1, slices, weights).makespan, 3 * sum_and_longest(p, weights),
                  1e-9)
          << "p=" << p << " m=" << m;
    }
  }
}

TEST(TokenSliceTimes, FillThePipelineWithOneSequence) {
  // One micro-batch on 4 devices: whole it is model parallelism, in 12 slices it idles
  // no more than 12 micro-batches would.
  EXPECT_EQ(time(4, 1, {1}, {12}).makespan, 4 * 36);
  EXPECT_EQ(time(4, 1, {12}, std::vector<double>(12, 1)).makespan, (12 + 3) * 3);
}

TEST(TokenSliceTimes, OfTheBestSlicesAreWhatTheSlicingPromised) {
  const SliceTimes times = slice_times(32, {1, 0.5, 0.125});
  for (const std::int32_t p : {1, 3, 8}) {
    const auto best = best_slicing(times, p);
    ASSERT_TRUE(best);
    const auto count = static_cast<std::int32_t>(best->times.size());
    EXPECT_NEAR(time(p, 1, {count}, best->times).makespan, 3 * best->total, 1e-9);
    // No equal slices do better.
    for (std::int32_t n = 1; n <= 32; n *= 2) {
      std::vector<double> even;
      even.reserve(static_cast<std::size_t>(n));
      for (std::int32_t j = 0; j < n; ++j) even.push_back(times.of(32 / n, 32 / n * j));
      EXPECT_GE(time(p, 1, {n}, even).makespan, 3 * best->total - 1e-9);
    }
  }
}

TEST(TokenSliceTimes, OfABatchSplitUnevenlyAreWhatTheSlicingPromised) {
  std::vector<SliceTimes> times;
  for (const double rows : {1.0, 1.2, 4.0, 8.0, 16.0}) {
    times.push_back(slice_times(6, {0.5, rows, 0.2 * rows}));
  }
  const auto best = best_batch_slicing(times, 4);
  ASSERT_TRUE(best);
  std::vector<std::int32_t> slices;
  std::vector<double> weights;
  for (const Slicing& slicing : best->slicings) {
    slices.push_back(static_cast<std::int32_t>(slicing.times.size()));
    weights.insert(weights.end(), slicing.times.begin(), slicing.times.end());
  }
  ASSERT_GT(slices.size(), 1U);
  EXPECT_NEAR(time(4, 1, slices, weights).makespan, 3 * best->total, 1e-9);
}

}  // namespace
}  // namespace pipeline

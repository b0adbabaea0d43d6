#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "exercise.hpp"
#include "schedule/generate.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

using Counts = std::vector<std::int32_t>;
using Times = std::vector<double>;

template <typename T>
std::string listed(const std::vector<T>& values) {
  std::string text = "[";
  for (const T value : values) {
    std::string number = std::to_string(value);
    if (number.find('.') != number.npos) {
      number.erase(number.find_last_not_of('0') + 1);
      if (number.back() == '.') number.pop_back();
    }
    text += (text.size() > 1 ? ", " : "") + number;
  }
  return text + "]";
}

/// What is wrong with a split, if anything is.
std::string split_fault(const Counts& counts, std::int32_t layers,
                        std::int32_t stages) {
  if (std::ssize(counts) != stages) {
    return "these are " + std::to_string(counts.size()) + " stages, not " +
           std::to_string(stages);
  }
  for (std::size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] < 1) return "stage " + std::to_string(s) + " has no layer";
  }
  const std::int64_t held =
      std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (held == layers) return "";
  return "these are " + std::to_string(held) + " layers, not " + std::to_string(layers);
}

/// The sums of the layers of each stage.
Times stages_of(const Times& times, const Counts& counts) {
  Times sums;
  auto layer = times.begin();
  for (const std::int32_t count : counts) {
    sums.push_back(std::accumulate(layer, layer + count, 0.0));
    layer += count;
  }
  return sums;
}

/// Every split there is, one after the other: the least that a slowest stage can take.
double least_slowest(const Times& times, std::size_t first, std::int32_t stages) {
  if (stages == 1) return std::accumulate(times.begin() + first, times.end(), 0.0);
  double least = std::numeric_limits<double>::infinity();
  double stage = 0;
  for (std::size_t end = first + 1; end + stages <= times.size() + 1; ++end) {
    stage += times[end - 1];
    least = std::min(least, std::max(stage, least_slowest(times, end, stages - 1)));
  }
  return least;
}

/// Networks of 1 to 9 layers: all alike, growing, shrinking, one layer that costs more
/// than all others, some that cost nothing, and a few without any order.
std::vector<Times> networks() {
  std::vector<Times> all = {{4, 1, 1, 1, 1, 4},
                            {1, 9, 1, 1, 1},
                            {6, 2, 2, 2, 6, 6},
                            {3, 1, 4, 1, 5, 9, 2, 6, 5},
                            {2, 7, 1, 8, 2, 8}};
  for (std::size_t layers = 1; layers <= 9; ++layers) {
    Times alike(layers, 2);
    Times growing(layers);
    std::iota(growing.begin(), growing.end(), 1);
    Times one_large(layers, 1);
    one_large[layers / 2] = 20;
    Times some_free(layers, 0);
    for (std::size_t i = 0; i < layers; i += 2)
      some_free[i] = 3 + static_cast<double>(i);
    all.insert(
        all.end(),
        {alike, growing, {growing.rbegin(), growing.rend()}, one_large, some_free});
  }
  return all;
}

TEST(EvenCounts, DropsNoLayer) {
  POINTS(1);
  for (std::int32_t layers = 1; layers <= 30; ++layers) {
    for (std::int32_t stages = 1; stages <= layers; ++stages) {
      const Counts counts = even_counts(layers, stages);
      ASSERT_EQ(split_fault(counts, layers, stages), "")
          << layers << " layers on " << stages << " stages: you say " << listed(counts)
          << ". Where the layers do not come out even, what is left over belongs "
             "somewhere. Re-read chapter 03, \"Equal counts\".";
    }
  }
}

TEST(EvenCounts, DifferByOneAtMost) {
  POINTS(1);
  EXPECT_EQ(even_counts(30, 4), (Counts{8, 8, 7, 7}))
      << "30 layers on 4 stages are 8, 8, 7 and 7, not " << listed(even_counts(30, 4))
      << ". Re-read chapter 03, \"Equal counts\".";
  for (std::int32_t layers = 1; layers <= 30; ++layers) {
    for (std::int32_t stages = 1; stages <= layers; ++stages) {
      const Counts counts = even_counts(layers, stages);
      ASSERT_FALSE(counts.empty());
      ASSERT_TRUE(std::is_sorted(counts.rbegin(), counts.rend()) &&
                  counts.front() - counts.back() <= 1)
          << layers << " layers on " << stages << " stages: you say " << listed(counts)
          << ". What is left over goes to the earlier stages, one layer each. Re-read "
             "chapter 03, \"Equal counts\".";
    }
  }
}

TEST(SlowestStage, IsTheLargestSum) {
  POINTS(1);
  const std::vector<Counts> splits = {{1, 2, 3}, {4, 1, 1}, {2, 2, 2}, {1, 1, 4}, {6}};
  for (const Times& times : {Times{5, 1, 2, 1, 1, 3}, Times{1, 2, 1, 3, 4, 2}}) {
    for (const Counts& counts : splits) {
      const Times stages = stages_of(times, counts);
      const double slowest = *std::max_element(stages.begin(), stages.end());
      ASSERT_DOUBLE_EQ(slowest_stage(times, counts), slowest)
          << "Layers that take " << listed(times) << ", split " << listed(counts)
          << ", make stages that take " << listed(stages)
          << ": all of them wait for the slowest. Re-read chapter 03, \"The slowest "
             "stage\".";
    }
  }
}

TEST(StepTime, IsWhatTheSimulatedPipelineTakes) {
  POINTS(2);
  const std::vector<Times> pipelines = {{4},       {2, 5, 3}, {1, 1, 1, 6},
                                        {6, 1, 2}, {3, 3},    {2, 7, 1, 8, 2}};
  for (const Times& stages : pipelines) {
    for (const std::int32_t m : {1, 2, 3, 8}) {
      Costs costs;
      costs.stages.clear();
      for (const double time : stages) costs.stages.push_back({.forward = time});
      const auto schedule = forward_only({static_cast<std::int32_t>(stages.size()), m});
      const double takes = measure(*schedule, *simulate(*schedule, costs)).makespan;
      ASSERT_DOUBLE_EQ(step_time(stages, m), takes)
          << "Stages that take " << listed(stages) << ", " << m
          << " micro-batches: the last one is out after " << takes
          << ". The first needs the sum of all stages; how long after it is each of "
             "the others out? Re-read chapter 03, \"The slowest stage\".";
    }
  }
}

TEST(BalancedCounts, HoldEveryLayerOnce) {
  POINTS(1);
  for (const Times& times : networks()) {
    const auto layers = static_cast<std::int32_t>(times.size());
    for (std::int32_t stages = 1; stages <= layers; ++stages) {
      const Counts counts = balanced_counts(times, stages);
      ASSERT_EQ(split_fault(counts, layers, stages), "")
          << "Layers that take " << listed(times) << " on " << stages
          << " stages: you say " << listed(counts)
          << ". Each stage needs a layer at least, even next to a large one. Re-read "
             "chapter 03, \"The best split\".";
    }
  }
}

TEST(BalancedCounts, MakeTheSlowestStageAsFastAsCanBe) {
  POINTS(3);
  for (const Times& times : networks()) {
    const auto layers = static_cast<std::int32_t>(times.size());
    for (std::int32_t stages = 1; stages <= layers; ++stages) {
      const Counts counts = balanced_counts(times, stages);
      ASSERT_EQ(split_fault(counts, layers, stages), "")
          << "You say " << listed(counts)
          << ". Re-read chapter 03, \"The best split\".";
      const Times sums = stages_of(times, counts);
      const double yours = *std::max_element(sums.begin(), sums.end());
      const double least = least_slowest(times, 0, stages);
      ASSERT_DOUBLE_EQ(yours, least)
          << "Layers that take " << listed(times) << " on " << stages
          << " stages: your split " << listed(counts) << " makes stages that take "
          << listed(sums) << ", and there is one whose slowest takes " << least
          << ". Re-read chapter 03, \"The best split\".";
    }
  }
}

}  // namespace
}  // namespace pipeline

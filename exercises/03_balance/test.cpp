#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "classroom/draw.hpp"
#include "classroom/points.hpp"
#include "classroom/test_words.hpp"
#include "exercise.hpp"
#include "schedule/generate.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

using Counts = std::vector<std::int32_t>;
using Times = std::vector<double>;

/// How many layers, and how many stages they are to make.
struct Size {
  std::int32_t layers = 1;
  std::int32_t stages = 1;
};

/// Every number of layers up to 30, on every number of stages.
std::vector<Size> sizes() {
  std::vector<Size> all;
  for (std::int32_t layers = 1; layers <= 30; ++layers) {
    for (std::int32_t stages = 1; stages <= layers; ++stages)
      all.push_back({layers, stages});
  }
  return all;
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

void expect_all_layers(const std::vector<Size>& all) {
  for (const auto& [layers, stages] : all) {
    const Counts counts = even_counts(layers, stages);
    ASSERT_EQ(split_fault(counts, layers, stages), "")
        << layers << " layers on " << stages << " stages: you say " << listed(counts)
        << ". Where the layers do not come out even, what is left over belongs "
           "somewhere. Re-read chapter 03, \"Equal counts\".";
  }
}

TEST(EvenCounts, DropsNoLayer) {
  POINTS(1);
  expect_all_layers(sizes());
}

void expect_even(const std::vector<Size>& all) {
  for (const auto& [layers, stages] : all) {
    const Counts counts = even_counts(layers, stages);
    for (std::int32_t s = 0; s < stages; ++s) {
      const std::int32_t even = layers / stages + (s < layers % stages ? 1 : 0);
      ASSERT_TRUE(std::ssize(counts) == stages &&
                  counts[static_cast<std::size_t>(s)] == even)
          << layers << " layers on " << stages << " stages: you say " << listed(counts)
          << ". What is left over goes to the earlier stages, one layer each. Re-read "
             "chapter 03, \"Equal counts\".";
    }
  }
}

TEST(EvenCounts, DifferByOneAtMost) {
  POINTS(1);
  EXPECT_EQ(even_counts(30, 4), (Counts{8, 8, 7, 7}))
      << "30 layers on 4 stages are 8, 8, 7 and 7, not " << listed(even_counts(30, 4))
      << ". Re-read chapter 03, \"Equal counts\".";
  expect_even(sizes());
}

struct Split {
  Times times;  ///< of the layers
  Counts counts;
};

void expect_largest_sum(const std::vector<Split>& all) {
  for (const auto& [times, counts] : all) {
    const Times stages = stages_of(times, counts);
    const double slowest = *std::max_element(stages.begin(), stages.end());
    ASSERT_DOUBLE_EQ(slowest_stage(times, counts), slowest)
        << "Layers that take " << listed(times) << ", split " << listed(counts)
        << ", make stages that take " << listed(stages)
        << ": all of them wait for the slowest. Re-read chapter 03, \"The slowest "
           "stage\".";
  }
}

TEST(SlowestStage, IsTheLargestSum) {
  POINTS(1);
  expect_largest_sum({{{5, 1, 2, 1, 1, 3}, {1, 2, 3}},
                      {{5, 1, 2, 1, 1, 3}, {4, 1, 1}},
                      {{5, 1, 2, 1, 1, 3}, {2, 2, 2}},
                      {{5, 1, 2, 1, 1, 3}, {6}},
                      {{1, 2, 1, 3, 4, 2}, {1, 2, 3}},
                      {{1, 2, 1, 3, 4, 2}, {4, 1, 1}},
                      {{1, 2, 1, 3, 4, 2}, {1, 1, 4}},
                      {{1, 2, 1, 3, 4, 2}, {6}}});
}

struct Passage {
  Times stages;
  std::int32_t micro_batches = 1;
};

void expect_simulated_time(const std::vector<Passage>& all) {
  for (const auto& [stages, m] : all) {
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

TEST(StepTime, IsWhatTheSimulatedPipelineTakes) {
  POINTS(2);
  std::vector<Passage> all;
  for (const Times& stages : std::vector<Times>{
           {4}, {2, 5, 3}, {1, 1, 1, 6}, {6, 1, 2}, {3, 3}, {2, 7, 1, 8, 2}}) {
    for (const std::int32_t m : {1, 2, 3, 8}) all.push_back({stages, m});
  }
  expect_simulated_time(all);
}

void expect_split(const std::vector<Times>& all) {
  for (const Times& times : all) {
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

TEST(BalancedCounts, HoldEveryLayerOnce) {
  POINTS(1);
  expect_split(networks());
}

void expect_fastest_split(const std::vector<Times>& all) {
  for (const Times& times : all) {
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

TEST(BalancedCounts, MakeTheSlowestStageAsFastAsCanBe) {
  POINTS(3);
  expect_fastest_split(networks());
}

// --- Drawn inputs: see classroom/draw.hpp

TEST(EvenCounts, HoldForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  std::vector<Size> all;
  for (int i = 0; i < 60; ++i) {
    const std::int32_t layers = draw.between(31, 200);
    all.push_back({layers, draw.between(2, layers)});
  }
  expect_all_layers(all);
  expect_even(all);
}

TEST(SlowestStage, HoldsForDrawnSplitsToo) {
  POINTS(1);
  Draw draw;
  std::vector<Split> all;
  for (int i = 0; i < 20; ++i) {
    Split split;
    const std::int32_t stages = draw.between(2, 8);
    std::int32_t layers = 0;
    for (std::int32_t s = 0; s < stages; ++s) {
      split.counts.push_back(draw.between(1, 5));
      layers += split.counts.back();
    }
    split.times = draw.quarters(layers, 1, 9);
    all.push_back(split);
  }
  expect_largest_sum(all);
}

TEST(StepTime, HoldsForDrawnPipelinesToo) {
  POINTS(1);
  Draw draw;
  std::vector<Passage> all;
  all.reserve(20);
  for (int i = 0; i < 20; ++i)
    all.push_back({draw.quarters(draw.between(2, 12), 1, 9), draw.between(2, 40)});
  expect_simulated_time(all);
}

TEST(BalancedCounts, HoldForDrawnNetworksToo) {
  POINTS(1);
  Draw draw;
  std::vector<Times> all;
  all.reserve(6);
  for (int i = 0; i < 6; ++i) all.push_back(draw.quarters(draw.between(8, 12), 1, 9));
  expect_split(all);
  expect_fastest_split(all);
}

}  // namespace
}  // namespace pipeline

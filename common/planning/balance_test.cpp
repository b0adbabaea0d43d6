#include "planning/balance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "planning/random_costs.hpp"

namespace pipeline {
namespace {

/// Every way to cut `layers` layers into `stages` stages with a layer or more each, in
/// lexicographic order.
std::vector<LayerSplit> all_splits(std::int32_t layers, std::int32_t stages) {
  if (stages == 1) return {{0, layers}};
  std::vector<LayerSplit> all;
  for (std::int32_t first = 1; first <= layers - stages + 1; ++first) {
    for (const LayerSplit& rest : all_splits(layers - first, stages - 1)) {
      LayerSplit& split = all.emplace_back(LayerSplit{0});
      for (const std::int32_t cut : rest) split.push_back(first + cut);
    }
  }
  return all;
}

std::vector<std::int32_t> counts_of(const LayerSplit& split) {
  std::vector<std::int32_t> counts;
  for (std::size_t s = 0; s + 1 < split.size(); ++s) {
    counts.push_back(split[s + 1] - split[s]);
  }
  return counts;
}

Costs layers_that_take(const std::vector<double>& forwards) {
  Costs costs;
  costs.stages.clear();
  for (const double forward : forwards) {
    costs.stages.push_back({.forward = forward});
  }
  return costs;
}

std::string reason(const Expected<LayerSplit>& refused) {
  return refused ? "accepted" : refused.error().what;
}

TEST(EvenSplit, DropsNoLayerAndGivesLongerStagesFirst) {
  EXPECT_EQ(*even_split(30, 4), (LayerSplit{0, 8, 16, 23, 30}));
  for (std::int32_t layers = 1; layers <= 40; ++layers) {
    for (std::int32_t stages = 1; stages <= layers; ++stages) {
      const auto split = even_split(layers, stages);
      ASSERT_TRUE(split);
      const auto counts = counts_of(*split);
      ASSERT_EQ(std::ssize(counts), stages);
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), layers);
      EXPECT_TRUE(std::is_sorted(counts.rbegin(), counts.rend()));
      EXPECT_LE(counts.front() - counts.back(), 1);
    }
  }
}

TEST(EvenSplit, RefusesMoreStagesThanLayers) {
  EXPECT_EQ(reason(even_split(3, 4)), "3 layers cannot be cut into 4 stages");
  EXPECT_EQ(reason(even_split(1, 0)), "1 layer cannot be cut into 0 stages");
  EXPECT_EQ(even_split(3, 4).error().remedy, "take at most as many stages as layers");
}

TEST(ExplicitSplit, TakesEveryLayoutThatHoldsAllLayers) {
  EXPECT_EQ(*explicit_split(8, std::vector{1, 2, 2, 3}), (LayerSplit{0, 1, 3, 5, 8}));
  for (std::int32_t stages = 1; stages <= 9; ++stages) {
    for (const LayerSplit& split : all_splits(9, stages)) {
      const auto made = explicit_split(9, counts_of(split));
      ASSERT_TRUE(made) << layout_text(split);
      EXPECT_EQ(*made, split);
    }
  }
}

TEST(ExplicitSplit, SaysWhatIsMissingOrTooMuch) {
  const std::vector layout = {1, 2, 2, 3};
  EXPECT_EQ(reason(explicit_split(10, layout)),
            "[1,2,2,3] holds 8 layers, and the network has 10: 2 would be dropped");
  EXPECT_EQ(explicit_split(10, layout).error().remedy,
            "make the counts of all stages add up to 10");
  EXPECT_EQ(reason(explicit_split(7, layout)),
            "[1,2,2,3] holds 8 layers, and the network has 7: 1 too many");
  EXPECT_EQ(reason(explicit_split(3, std::vector{1, 0, 2})),
            "stage 1 of [1,0,2] has 0 layers");
  EXPECT_EQ(reason(explicit_split(3, std::vector{4, -1})),
            "stage 1 of [4,-1] has -1 layers");
  EXPECT_EQ(reason(explicit_split(3, {})),
            "[] holds 0 layers, and the network has 3: 3 would be dropped");
  EXPECT_FALSE(explicit_split(0, {}));
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  EXPECT_FALSE(explicit_split(most - 1, std::vector{most, most}));
}

TEST(LayoutText, ReadsLikeTheCountsThatItIsMadeFrom) {
  EXPECT_EQ(layout_text({0, 1, 3, 5, 8}), "[1,2,2,3]");
  EXPECT_EQ(layout_text({0, 8}), "[8]");
}

TEST(CostsOfStages, AddsUpTheLayersAndSendsWhatTheLastOneSends) {
  Costs layers;
  layers.stages = {
      {1, 2, 3, 1, 6, 0.5}, {10, 20, 30, 10, 60, 0.25}, {5, 6, 7, 5, 18, 0}};
  layers.message_bytes = {100, 200, 300};
  layers.within_node = {7, 8};
  const Costs stages = costs_of_stages(layers, {0, 2, 3});
  ASSERT_EQ(stages.stages.size(), 2U);
  EXPECT_EQ(stages.stages[0].forward, 11);
  EXPECT_EQ(stages.stages[0].input_gradient, 22);
  EXPECT_EQ(stages.stages[0].weight_gradient, 33);
  EXPECT_EQ(stages.stages[0].recompute, 11);
  EXPECT_EQ(stages.stages[0].overlapped, 66);
  EXPECT_EQ(stages.stages[0].update, 0.75);
  EXPECT_EQ(stages.stages[1].forward, 5);
  EXPECT_EQ(stages.message_bytes, (std::vector<double>{200, 300}));
  EXPECT_EQ(stages.within_node.latency, 7);
}

/// What `optimal_split` promises, found by trying every split.
struct Best {
  double interval = std::numeric_limits<double>::infinity();
  double squares = 0;
  LayerSplit split;
};

Best best_of_all(const Costs& layers, std::int32_t stages, const PaceOptions& options) {
  Best best;
  for (const LayerSplit& split :
       all_splits(static_cast<std::int32_t>(layers.stages.size()), stages)) {
    const Pace pace = *pace_of(costs_of_stages(layers, split), stages, options);
    const double squares =
        std::inner_product(pace.stage_times.begin(), pace.stage_times.end(),
                           pace.stage_times.begin(), 0.0);
    const bool as_good = pace.interval < best.interval ||
                         (pace.interval == best.interval && squares <= best.squares);
    if (as_good) best = {pace.interval, squares, split};  // of equals, the last
  }
  return best;
}

TEST(OptimalSplit, IsTheBestOfAllSplits) {
  test::Draw draw(1);
  for (int round = 0; round < 400; ++round) {
    const std::int32_t layers = draw.from(1, 10);
    const std::int32_t stages = draw.from(1, layers);
    const Costs costs = test::random_costs(draw, layers);
    for (const bool training : {false, true}) {
      for (const bool overlapped : {false, true}) {
        const PaceOptions options = {training, overlapped};
        const Best best = best_of_all(costs, stages, options);
        const auto split = optimal_split(costs, stages, options);
        ASSERT_TRUE(split) << split.error().what;
        ASSERT_EQ(layout_text(*split), layout_text(best.split))
            << "round " << round << ", training " << training << ", overlapped "
            << overlapped;
      }
    }
  }
}

TEST(OptimalSplit, OfLayersThatAreAllAlikeIsEven) {
  for (std::int32_t layers = 1; layers <= 40; ++layers) {
    const Costs costs =
        layers_that_take(std::vector<double>(static_cast<std::size_t>(layers), 3));
    for (std::int32_t stages = 1; stages <= layers; ++stages) {
      EXPECT_EQ(*optimal_split(costs, stages), *even_split(layers, stages));
    }
  }
}

TEST(OptimalSplit, GoesByCostAndNotByTheNumberOfLayers) {
  const Costs costs = layers_that_take({1, 1, 1, 1, 6, 2});
  const PaceOptions forwards = {.training = false};
  EXPECT_EQ(layout_text(*optimal_split(costs, 3, forwards)), "[4,1,1]");
  EXPECT_EQ(pace_of(costs_of_stages(costs, *even_split(6, 3)), 3, forwards)->interval,
            8);
  EXPECT_EQ(pace_of(costs_of_stages(costs, {0, 4, 5, 6}), 3, forwards)->interval, 6);
}

TEST(OptimalSplit, DoesNotCutWhereTheMessageIsLarge) {
  Costs costs = layers_that_take({4, 4, 4, 4});
  const PaceOptions forwards = {.training = false};
  EXPECT_EQ(layout_text(*optimal_split(costs, 2, forwards)), "[2,2]");
  costs.message_bytes = {1, 20, 1, 1};
  costs.within_node.bandwidth = 1;
  EXPECT_EQ(layout_text(*optimal_split(costs, 2, forwards)), "[3,1]");
}

// A stage that is cheap, or has no parameters and costs nothing, is a stage all the
// same: no other stage may be dropped for it.
TEST(OptimalSplit, GivesEveryStageALayerWhateverTheLayersCost) {
  for (std::int32_t stages = 1; stages <= 7; ++stages) {
    for (std::uint32_t expensive = 0; expensive < 128; ++expensive) {
      std::vector<double> times;
      for (std::uint32_t i = 0; i < 7; ++i) times.push_back((expensive >> i) & 1U);
      const auto split = optimal_split(layers_that_take(times), stages);
      ASSERT_TRUE(split);
      const auto counts = counts_of(*split);
      EXPECT_EQ(std::ssize(counts), stages);
      EXPECT_GE(*std::min_element(counts.begin(), counts.end()), 1);
      EXPECT_EQ(split->back(), 7);
    }
  }
}

TEST(OptimalSplit, HandlesThousandsOfLayers) {
  std::vector<double> times;
  double sum = 0;
  double most = 0;
  test::Draw draw(3);
  for (std::int32_t i = 0; i < kMostLayers; ++i) {
    times.push_back(draw.from(1, 9));
    sum += times.back();
    most = std::max(most, times.back());
  }
  const Costs costs = layers_that_take(times);
  const PaceOptions forwards = {.training = false};
  const auto split = optimal_split(costs, 64, forwards);
  ASSERT_TRUE(split);
  const Pace pace = *pace_of(costs_of_stages(costs, *split), 64, forwards);
  EXPECT_GE(pace.interval, sum / 64);
  EXPECT_LT(pace.interval, sum / 64 + most);
}

TEST(OptimalSplit, RefusesWhatCannotBeCut) {
  EXPECT_EQ(reason(optimal_split(layers_that_take({1, 2, 3}), 4)),
            "3 layers cannot be cut into 4 stages");
  EXPECT_EQ(reason(optimal_split(layers_that_take({1, 2, 3}), 0)),
            "3 layers cannot be cut into 0 stages");
  EXPECT_EQ(reason(optimal_split(layers_that_take({1, -2}), 1)),
            "the cost of the forward of stage 1 is -2, a negative number");
  EXPECT_FALSE(optimal_split(layers_that_take({}), 1));
  EXPECT_FALSE(
      optimal_split(layers_that_take(std::vector<double>(kMostLayers + 1, 1)), 2));
}

}  // namespace
}  // namespace pipeline

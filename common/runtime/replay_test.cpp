#include "runtime/replay.hpp"

#include <gtest/gtest.h>

#include "layers/transformer.hpp"
#include "runtime/small_training.hpp"
#include "timeline/metrics.hpp"

namespace pipeline {
namespace {

class ReplayTest : public RuntimeTest {};

TEST_F(ReplayTest, IsWhatMoreDevicesThanCoresAreReportedAs) {
  if (platform_of(1)->level() != Level::HostThreads) {
    EXPECT_EQ(honest_level(*platform_of(1)), Level::OneGpu);
    return;
  }
  EXPECT_EQ(honest_level(*platform_of(usable_cores())), Level::HostThreads);
  EXPECT_EQ(honest_level(*platform_of(usable_cores() + 1)), Level::Replay);
}

TEST_F(ReplayTest, MeasuresEveryActionOfEveryStageAndLeavesTheWeights) {
  const auto platform = platform_of(3);
  const Network network = small_network();
  const Schedule schedule = generated("1f1b", 3, 4, 1);
  auto placed = *PlacedNetwork::place(*platform, network, *even_split(9, 3),
                                      schedule.placement, 1);
  const std::string digest = placed->digest();
  const Costs costs = measure_action_costs(*placed, 8);
  EXPECT_EQ(placed->digest(), digest);
  EXPECT_EQ(platform->device(0).meter().live_bytes,
            placed->bytes_on(0) + placed->on(0).workspace->scratch_bytes());
  ASSERT_EQ(costs.stages.size(), 3U);
  for (const StageCosts& stage : costs.stages) {
    EXPECT_GT(stage.forward, 0);
    EXPECT_GT(stage.input_gradient, 0);
    EXPECT_GT(stage.weight_gradient, 0);
    EXPECT_GT(stage.update, 0);
  }
  EXPECT_EQ(costs.message_bytes,
            (std::vector<double>{8 * 7 * 4, 8 * 10 * 4, 8 * 4 * 4}));
  EXPECT_GT(costs.within_node.latency, 0);
  EXPECT_FALSE(fault_of(costs, 3));
}

TEST_F(ReplayTest, ReadsTokensThatTheVocabularyHas) {
  const auto platform = platform_of(2);
  const Network network = *transformer(
      {.vocabulary = 2, .width = 6, .heads = 2, .blocks = 1, .context = 5});
  const Schedule schedule = generated("gpipe", 2, 4, 1);
  auto placed = *PlacedNetwork::place(*platform, network, *even_split(11, 2),
                                      schedule.placement, 1);
  const std::string digest = placed->digest();
  const Costs costs = measure_action_costs(*placed, 3, 5, /*positions=*/5);
  EXPECT_EQ(placed->digest(), digest);
  EXPECT_GT(costs.stages[0].weight_gradient, 0);
  EXPECT_FALSE(fault_of(costs, 2));
}

TEST_F(ReplayTest, MeasuresEveryLayerAsAStageOfItsOwn) {
  const auto platform = platform_of(1);
  const auto layers = measure_layer_costs(*platform, small_network(), 8);
  ASSERT_TRUE(layers);
  ASSERT_EQ(layers->stages.size(), 9U);
  for (const StageCosts& layer : layers->stages) {
    EXPECT_GT(layer.forward, 0);
    EXPECT_GT(layer.backward(), 0);
  }
  EXPECT_EQ(layers->message_bytes.front(), 8 * 9 * 4);
  EXPECT_EQ(layers->within_node.latency, 0);
  EXPECT_TRUE(optimal_split(*layers, 4));
}

TEST_F(ReplayTest, SaysWhatItIs) {
  const Schedule schedule = generated("1f1b", 4, 8, 1);
  Costs costs;
  costs.stages = {{.forward = 1, .input_gradient = 1, .weight_gradient = 1}};
  const auto timeline = replay(schedule, costs);
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->level, Level::Replay);
  EXPECT_EQ(timeline->transfers.size(), 2U * 3 * 8);
  EXPECT_EQ(measure(schedule, *timeline).makespan, 33);
}

}  // namespace
}  // namespace pipeline

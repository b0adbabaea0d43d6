#include "planning/pace.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "planning/random_costs.hpp"
#include "planning/transfer.hpp"
#include "schedule/generate.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

double makespan(const Expected<Schedule>& schedule, const Costs& costs) {
  return measure(*schedule, *simulate(*schedule, costs)).makespan;
}

Costs with_free_transfers(Costs costs) {
  costs.within_node = costs.between_nodes = {};
  return costs;
}

constexpr PaceOptions kForwards = {.training = false};
constexpr PaceOptions kBlocking = {.training = false, .overlapped = false};

TEST(Pace, IsTheTimeOfForwardsThroughUnequalStagesAndLinks) {
  test::Draw draw(1);
  for (int round = 0; round < 300; ++round) {
    const std::int32_t p = draw.from(1, 7);
    const Costs costs = test::random_costs(draw, p);
    const Pace pace = *pace_of(costs, p, kForwards);
    for (const std::int32_t m : {1, 2, 3, 9}) {
      // Simulated from the first action: stages that cost nothing begin nothing.
      const auto schedule = forward_only({p, m});
      const Timeline timeline = *simulate(*schedule, costs);
      EXPECT_EQ(timeline.spans.back().back().end, pace.time_of(m))
          << "p=" << p << " m=" << m << " round " << round;
    }
  }
}

TEST(Pace, IsSumAndTimesTheSlowest) {
  Costs costs;
  costs.stages = {{.forward = 2}, {.forward = 5}, {.forward = 3}};
  EXPECT_EQ(pace_of(costs, 3, kForwards)->interval, 5);
  EXPECT_EQ(pace_of(costs, 3, kForwards)->time_of(4), 10 + 3 * 5);
  EXPECT_FALSE(pace_of(costs, 3, kForwards)->link_bound());
  costs.message_bytes = {60};
  costs.within_node = {1, 10};
  EXPECT_EQ(pace_of(costs, 3, kForwards)->time_of(4), 10 + 2 * 7 + 3 * 6);
  EXPECT_TRUE(pace_of(costs, 3, kForwards)->link_bound());
}

TEST(Pace, OfOneFOneBIsExactWhereTheLastStageIsTheSlowest) {
  test::Draw draw(2);
  for (int round = 0; round < 300; ++round) {
    const std::int32_t p = draw.from(1, 7);
    Costs costs = with_free_transfers(test::random_costs(draw, p));
    costs.stages.back() = {.forward = 9, .input_gradient = 9, .weight_gradient = 9};
    for (const std::int32_t m : {1, 2, 5, 12}) {
      EXPECT_EQ(makespan(one_f_one_b({p, m}), costs), pace_of(costs, p)->time_of(m))
          << "p=" << p << " m=" << m << " round " << round;
    }
  }
}

TEST(Pace, OfOneFOneBIsNeverExceededByAlikeBackwards) {
  test::Draw draw(3);
  int faster = 0;
  for (int round = 0; round < 300; ++round) {
    const std::int32_t p = draw.from(1, 7);
    const std::int32_t m = draw.from(1, 12);
    Costs costs = with_free_transfers(test::random_costs(draw, p));
    for (StageCosts& stage : costs.stages) {
      stage.input_gradient = stage.weight_gradient = stage.forward;
    }
    const Pace pace = *pace_of(costs, p);
    const double takes = makespan(one_f_one_b({p, m}), costs);
    EXPECT_LE(takes, pace.time_of(m));
    EXPECT_GE(takes, m * pace.interval);
    faster += takes < pace.time_of(m);
  }
  EXPECT_GT(faster, 0);  // a slow first stage begins at once
}

// GPipe's step is two pipelines, one after the other.
TEST(Pace, OfGPipeIsThatOfItsForwardsAndThatOfItsBackwards) {
  test::Draw draw(4);
  for (int round = 0; round < 300; ++round) {
    const std::int32_t p = draw.from(1, 7);
    const std::int32_t m = draw.from(1, 12);
    Costs costs = test::random_costs(draw, p);
    costs.stages.front().forward = 1;  // so that the step begins with it
    Costs backwards = costs;
    for (StageCosts& stage : backwards.stages) stage.forward = stage.backward();
    const double both = pace_of(costs, p, kForwards)->time_of(m) +
                        pace_of(backwards, p, kForwards)->time_of(m);
    const auto schedule = gpipe({p, m});
    const Timeline timeline = *simulate(*schedule, costs);
    EXPECT_EQ(timeline.spans.front().back().end, both)
        << "p=" << p << " m=" << m << " round " << round;
  }
}

/// Forwards whose senders wait until each message has arrived, walked through.
double walk_blocking_forwards(const Costs& costs, std::int32_t stages,
                              std::int32_t micro_batches) {
  std::vector<double> device_free(static_cast<std::size_t>(stages), 0);
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    double arrived = 0;
    for (std::int32_t s = 0; s < stages; ++s) {
      double& free_at = device_free[static_cast<std::size_t>(s)];
      const double sent =
          s + 1 < stages ? costs.bytes_leaving(s) / costs.between(s, s + 1).bandwidth +
                               costs.between(s, s + 1).latency
                         : 0;
      free_at = std::max(free_at, arrived) + costs.of(s).forward + sent;
      arrived = free_at;
    }
  }
  return device_free.back();
}

TEST(Pace, OfTransfersThatBlockTheirSendersIsWhatWalkingThroughTakes) {
  test::Draw draw(5);
  for (int round = 0; round < 300; ++round) {
    const std::int32_t p = draw.from(1, 7);
    const std::int32_t m = draw.from(1, 12);
    const Costs costs = test::random_costs(draw, p);
    const double walked = walk_blocking_forwards(costs, p, m);
    EXPECT_EQ(pace_of(costs, p, kBlocking)->time_of(m), walked);
    const auto schedule = forward_only({p, m});
    const Timeline timeline = *simulate(*schedule, *blocking_transfers(costs, p));
    EXPECT_EQ(timeline.spans.back().back().end, walked);
  }
}

TEST(Pace, OfTrainingCountsBothTransfersOfAStageThatTheyBlock) {
  Costs costs;
  costs.stages = {{.forward = 2, .input_gradient = 2, .weight_gradient = 2}};
  costs.message_bytes = {10, 30, 50};
  costs.within_node = {1, 10};
  const Pace overlapped = *pace_of(costs, 3);
  EXPECT_EQ(overlapped.stage_times, (std::vector<double>{6, 6, 6}));
  EXPECT_EQ(overlapped.link_times, (std::vector<double>{1, 3}));
  EXPECT_EQ(overlapped.interval, 6);
  EXPECT_EQ(overlapped.pass, 18 + 2 * (2 + 4));
  const Pace blocking = *pace_of(costs, 3, {.overlapped = false});
  EXPECT_EQ(blocking.stage_times, (std::vector<double>{6 + 2, 6 + 2 + 4, 6 + 4}));
  EXPECT_EQ(blocking.link_times, (std::vector<double>{0, 0}));
  EXPECT_EQ(blocking.interval, 12);
  EXPECT_EQ(blocking.pass, overlapped.pass);
}

TEST(Pace, RefusesCostsThatAreNone) {
  Costs costs;
  costs.stages = {{.forward = -1}};
  EXPECT_EQ(pace_of(costs, 2).error().what,
            "the cost of the forward of the stages is -1, a negative number");
  costs.stages = std::vector<StageCosts>(3);
  for (const bool overlapped : {false, true}) {
    EXPECT_EQ(pace_of(costs, 2, {.overlapped = overlapped}).error().what,
              "3 stage costs for 2 stages");
    EXPECT_FALSE(pace_of(costs, 0, {.overlapped = overlapped}));
  }
}

}  // namespace
}  // namespace pipeline

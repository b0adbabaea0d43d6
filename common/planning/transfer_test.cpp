#include "planning/transfer.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "planning/pace.hpp"
#include "planning/random_costs.hpp"
#include "schedule/generate.hpp"
#include "schedule/verify.hpp"
#include "timeline/memory.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

/// The time from one micro-batch to the next in the middle of a long 1F1B step: the
/// mean of many, since they may leave in bursts.
double interval_holding(const std::vector<std::int32_t>& held, const Costs& costs) {
  const auto p = static_cast<std::int32_t>(held.size());
  const auto end_of = [&](std::int32_t m) {
    const auto schedule = one_f_one_b({p, m}, held);
    return simulate(*schedule, costs)->spans.front().back().end;
  };
  return (end_of(180) - end_of(90)) / 90;
}

std::string in_words(const std::vector<std::int32_t>& held) {
  std::string words;
  for (const std::int32_t count : held) words += std::to_string(count) + " ";
  return words;
}

TEST(InFlightToHide, IsPMinusSWhereTransfersAreFree) {
  for (std::int32_t p = 1; p <= 6; ++p) {
    const auto held = in_flight_to_hide(Costs{}, p);
    ASSERT_TRUE(held);
    for (std::int32_t s = 0; s < p; ++s) {
      EXPECT_EQ((*held)[static_cast<std::size_t>(s)], p - s);
    }
  }
}

TEST(InFlightToHide, GrowsByEveryRoundTripOverALink) {
  Costs costs;  // F+B is 3
  for (const std::int32_t latency : {0, 1, 2, 3, 6, 7}) {
    costs.within_node.latency = latency;
    const std::int32_t more = (2 * latency + 2) / 3;  // rounded up
    for (std::int32_t p = 1; p <= 5; ++p) {
      const auto held = in_flight_to_hide(costs, p);
      ASSERT_TRUE(held);
      for (std::int32_t s = 0; s < p; ++s) {
        EXPECT_EQ((*held)[static_cast<std::size_t>(s)], p - s + (p - 1 - s) * more)
            << "latency " << latency << ", p=" << p << ", s=" << s;
      }
    }
  }
}

TEST(InFlightToHide, IsEnoughAndOneLessIsNot) {
  test::Draw draw(1);
  int tried = 0;
  for (int round = 0; round < 150; ++round) {
    const std::int32_t p = draw.from(1, 5);
    const Costs costs = test::random_costs(draw, p);
    const double interval = pace_of(costs, p)->interval;
    if (interval == 0) continue;
    const auto held = in_flight_to_hide(costs, p);
    ASSERT_TRUE(held);
    EXPECT_EQ(interval_holding(*held, costs), interval)
        << "round " << round << ": " << in_words(*held);
    for (std::size_t s = 0; s + 1 < held->size(); ++s) {
      std::vector<std::int32_t> fewer = *held;
      if (--fewer[s] < fewer[s + 1]) continue;  // would hang
      ++tried;
      EXPECT_GT(interval_holding(fewer, costs), interval)
          << "round " << round << ": " << in_words(fewer);
    }
  }
  EXPECT_GT(tried, 100);
}

TEST(InFlightToHide, IsNotMisledByTheLastDigitsOfASum) {
  Costs costs;
  costs.stages = {{.forward = 0.1, .input_gradient = 0.1, .weight_gradient = 0.1}};
  for (std::int32_t p = 1; p <= 20; ++p) {
    EXPECT_EQ(in_flight_to_hide(costs, p)->front(), p);
  }
}

TEST(InFlightToHide, IsOneWhereNothingTakesTime) {
  Costs costs;
  costs.stages = {{.forward = 0, .input_gradient = 0, .weight_gradient = 0}};
  EXPECT_EQ(*in_flight_to_hide(costs, 3), (std::vector<std::int32_t>{1, 1, 1}));
}

TEST(InFlightToHide, RefusesWhatCannotBeHidden) {
  Costs costs;
  costs.within_node.latency = 1e12;
  EXPECT_EQ(in_flight_to_hide(costs, 2).error().what,
            "transfers take so long that no number of micro-batches hides them");
  costs.within_node.latency = -1;
  EXPECT_FALSE(in_flight_to_hide(costs, 2));
}

TEST(OneFOneBHolding, HoldsWhatItIsToldAndNoMore) {
  for (const std::int32_t m : {1, 2, 3, 5, 12}) {
    const std::vector<std::int32_t> held = {7, 5, 2, 1};
    const auto schedule = one_f_one_b({4, m, 2}, held);
    ASSERT_TRUE(schedule);
    EXPECT_TRUE(verify(*schedule).empty());
    const Memory memory_of = memory(*schedule);
    for (std::size_t s = 0; s < held.size(); ++s) {
      EXPECT_EQ(memory_of.peak_chunks[s], std::min(held[s], m));
    }
  }
}

TEST(OneFOneBHolding, RefusesWhatWouldHang) {
  const std::vector<std::int32_t> rising = {2, 3, 1};
  EXPECT_EQ(one_f_one_b({3, 4}, rising).error().what,
            "stage 0 is to hold 2 micro-batches, where the stage after it holds 3");
  const std::vector<std::int32_t> nothing = {2, 1, 0};
  EXPECT_EQ(one_f_one_b({3, 4}, nothing).error().what,
            "stage 2 is to hold 0 micro-batches, where it needs 1 to do anything");
  EXPECT_EQ(one_f_one_b({2, 4}, nothing).error().what,
            "3 limits on what a stage holds, for 2 stages");
}

TEST(BreakEven, IsWhereTheLinkTakesAsLongAsTheStage) {
  Costs costs;  // F+B is 3
  costs.message_bytes = {600};
  const double bandwidth = break_even_bandwidth(600, 3);
  EXPECT_EQ(bandwidth, 200);
  for (const double times : {0.25, 0.5, 1.0, 2.0, 4.0}) {
    costs.within_node.bandwidth = times * bandwidth;
    const Pace pace = *pace_of(costs, 3);
    EXPECT_EQ(pace.link_bound(), times < 1);
    EXPECT_EQ(pace.interval, times < 1 ? 3 / times : 3);
    EXPECT_EQ(interval_holding({90, 60, 1}, costs), pace.interval);
  }
  EXPECT_EQ(break_even_bandwidth(0, 0), 0);
  EXPECT_EQ(break_even_bandwidth(1, 0), std::numeric_limits<double>::infinity());
}

TEST(BlockingTransfers, LengthenTheActionsThatSend) {
  Costs costs;
  costs.message_bytes = {10, 30, 50};
  costs.within_node = {1, 10};
  const auto blocking = blocking_transfers(costs, 3);
  ASSERT_TRUE(blocking);
  ASSERT_EQ(blocking->stages.size(), 3U);
  EXPECT_EQ(blocking->stages[0].forward, 1 + 2);
  EXPECT_EQ(blocking->stages[0].input_gradient, 1);
  EXPECT_EQ(blocking->stages[1].forward, 1 + 4);
  EXPECT_EQ(blocking->stages[1].input_gradient, 1 + 2);
  EXPECT_EQ(blocking->stages[1].overlapped, 3 + 4 + 2);
  EXPECT_EQ(blocking->stages[2].forward, 1);
  EXPECT_EQ(blocking->stages[2].input_gradient, 1 + 4);
  EXPECT_EQ(blocking->stages[2].weight_gradient, 1);
  EXPECT_EQ(blocking->within_node.latency, 0);
  EXPECT_EQ(blocking->message_bytes, (std::vector<double>{0}));
}

}  // namespace
}  // namespace pipeline

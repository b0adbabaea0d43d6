#include "schedule/zb_auto.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "schedule/full_tier.hpp"
#include "schedule/verify.hpp"

namespace pipeline {
namespace {

/// Most held in a row, counted on its own: whole from F to I, in part from I to W.
double most_held(const Row& row, double freed_by_input_gradient) {
  std::int32_t whole = 0;
  std::int32_t in_part = 0;
  double most = 0;
  for (const Entry& entry : row) {
    if (entry.action.kind == ActionKind::Forward) ++whole;
    if (entry.action.kind == ActionKind::InputGradient) {
      --whole;
      ++in_part;
    }
    if (entry.action.kind == ActionKind::WeightGradient) --in_part;
    most = std::max(most, whole + in_part * (1 - freed_by_input_gradient));
  }
  return most;
}

// Stages, links, limits and shares of all kinds; also far fewer micro-batches than
// devices.
TEST(ZbAuto, IsValidAndKeepsToEveryLimit) {
  std::mt19937 random(7);
  const auto below = [&random](std::uint32_t n) {
    return static_cast<std::int32_t>(random() % n);
  };
  const int tries = !in_full_tier() ? 150 : 3000;
  for (int t = 0; t < tries; ++t) {
    const std::int32_t p = 1 + below(8);
    const Shape shape{p, 1 + below(20), 1 + below(2), below(2) == 0};
    Costs costs;
    costs.stages.resize(below(2) == 0 ? 1 : static_cast<std::size_t>(p));
    for (StageCosts& stage : costs.stages) {
      stage = {1.0 + below(9), 1.0 + below(9), 1.0 + below(9)};
    }
    costs.within_node = {0.5 * below(4), below(2) == 0 ? 0.0 : 2.0};
    costs.message_bytes = {static_cast<double>(below(3))};
    MemoryBudget budget;
    budget.freed_by_input_gradient = below(5) / 4.0;
    budget.limit.resize(below(2) == 0 ? 1 : static_cast<std::size_t>(p));
    for (double& limit : budget.limit) {
      limit = 1 + below(static_cast<std::uint32_t>(8 * p)) / 4.0;
    }
    const auto schedule = zb_auto(shape, costs, budget);
    ASSERT_TRUE(schedule);
    const auto faults = verify(*schedule);
    ASSERT_TRUE(faults.empty()) << faults.front().reason;
    for (std::size_t d = 0; d < schedule->rows.size(); ++d) {
      EXPECT_LE(most_held(schedule->rows[d], budget.freed_by_input_gradient),
                budget.limit[budget.limit.size() == 1 ? 0 : d] + 1e-6);
    }
  }
}

TEST(ZbAuto, IsTheSameEveryTime) {
  Costs costs;
  costs.stages = {{10, 9, 7}};
  costs.within_node.latency = 1;
  const auto once = zb_auto({8, 40, 1}, costs, {{12}, 0.5});
  const auto again = zb_auto({8, 40, 1}, costs, {{12}, 0.5});
  ASSERT_TRUE(once && again);
  EXPECT_EQ(*once, *again);
}

TEST(ZbAuto, RepeatsItsRowsInEveryStep) {
  const auto one = zb_auto({4, 6, 1}, Costs(), {{4}, 0});
  const auto two = zb_auto({4, 6, 2}, Costs(), {{4}, 0});
  ASSERT_TRUE(one && two);
  for (std::size_t d = 0; d < 4; ++d) {
    const std::size_t length = one->rows[d].size();
    ASSERT_EQ(two->rows[d].size(), 2 * length);
    for (std::size_t i = 0; i < length; ++i) {
      Entry later = one->rows[d][i];
      EXPECT_EQ(two->rows[d][i], later);
      later.action.micro_batch += 6;
      EXPECT_EQ(two->rows[d][length + i], later);
    }
  }
}

TEST(ZbAuto, WorksWithOneActivationADevice) {
  const auto schedule = zb_auto({4, 5, 1}, Costs(), {{1}, 0});
  ASSERT_TRUE(schedule);
  EXPECT_TRUE(verify(*schedule).empty());
  for (const Row& row : schedule->rows) EXPECT_EQ(most_held(row, 0), 1);
}

TEST(ZbAuto, WithoutALimitHoldsWhatItLikes) {
  const auto schedule = zb_auto({4, 12, 1}, Costs(), {});
  ASSERT_TRUE(schedule);
  EXPECT_TRUE(verify(*schedule).empty());
  EXPECT_GE(most_held(schedule->rows[0], 0), 7);
}

TEST(ZbAuto, RefusesLimitsAndSharesThatMakeNoSense) {
  struct Case {
    MemoryBudget budget;
    const char* what;
  };
  const double nan = std::nan("");
  for (const Case& c : {
           Case{{{0.5}, 0},
                "no device can train with less than one activation, and the memory "
                "limit is 0.5"},
           Case{{{-4}, 0},
                "no device can train with less than one activation, and the memory "
                "limit is -4"},
           Case{{{4, 4, nan, 4}, 0},
                "no device can train with less than one activation"},
           Case{{{4, 4}, 0}, "2 memory limits do not fit 4 devices"},
           Case{{{4, 4, 4, 4, 4}, 0}, "5 memory limits do not fit 4 devices"},
           Case{{{}, -0.1}, "an input gradient can free a share of an activation"},
           Case{{{}, 1.5}, "an input gradient can free a share of an activation"},
           Case{{{}, nan}, "an input gradient can free a share of an activation"},
       }) {
    const auto schedule = zb_auto({4, 8, 1}, Costs(), c.budget);
    ASSERT_FALSE(schedule) << c.what;
    EXPECT_EQ(schedule.error().what.rfind(c.what, 0), 0U) << schedule.error().what;
    EXPECT_FALSE(schedule.error().remedy.empty());
  }
}

TEST(ZbAuto, RefusesCostsThatMakeNoSense) {
  Costs costs;
  costs.stages = {{1, -1, 1}};
  EXPECT_FALSE(zb_auto({4, 8, 1}, costs, {}));
  costs.stages.resize(3);
  EXPECT_FALSE(zb_auto({4, 8, 1}, costs, {}));
}

TEST(ZbAuto, AcceptsCostsOfNothing) {
  Costs costs;
  costs.stages = {{0, 0, 0}};
  const auto schedule = zb_auto({4, 8, 1}, costs, {{4}, 0});
  ASSERT_TRUE(schedule);
  EXPECT_TRUE(verify(*schedule).empty());
}

}  // namespace
}  // namespace pipeline

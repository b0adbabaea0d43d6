// The exact search against trying every order, and everybody else against the exact
// search.
#include "schedule/exact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "schedule/full_tier.hpp"
#include "schedule/generate.hpp"
#include "schedule/verify.hpp"
#include "schedule/zb_auto.hpp"
#include "schedule/zero_bubble.hpp"
#include "timeline/memory.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double length(const Schedule& schedule, const Costs& costs, ExactObjective objective) {
  const auto timeline = simulate(schedule, costs);
  if (!timeline) return kNever;
  const Metrics metrics = measure(schedule, *timeline);
  return objective == ExactObjective::Makespan ? metrics.makespan
                                               : metrics.longest_span;
}

double length(const Expected<Schedule>& schedule, const Costs& costs,
              ExactObjective objective) {
  return schedule ? length(*schedule, costs, objective) : kNever;
}

bool fits(const Schedule& schedule, const MemoryBudget& budget) {
  if (budget.limit.empty()) return true;
  const Memory held =
      memory(schedule, {.freed_by_input_gradient = budget.freed_by_input_gradient});
  for (std::size_t d = 0; d < held.peak.size(); ++d) {
    if (held.peak[d] > budget.limit[budget.limit.size() == 1 ? 0 : d] + 1e-9) {
      return false;
    }
  }
  return true;
}

// --- Every order there is

/// Every row of a stage: forwards, input gradients and weight gradients, each in order
/// and none before what it needs of its own stage.
std::vector<Row> every_row(std::int32_t stage, std::int32_t m) {
  std::vector<Row> rows;
  Row row;
  const auto extend = [&](const auto& self, std::int32_t f, std::int32_t i,
                          std::int32_t w) -> void {
    if (w == m) rows.push_back(row);
    const auto with = [&](ActionKind kind, std::int32_t k, std::int32_t df,
                          std::int32_t di, std::int32_t dw) {
      row.push_back({{kind, 0, stage, k}});
      self(self, f + df, i + di, w + dw);
      row.pop_back();
    };
    if (f < m) with(ActionKind::Forward, f, 1, 0, 0);
    if (i < f) with(ActionKind::InputGradient, i, 0, 1, 0);
    if (w < i) with(ActionKind::WeightGradient, w, 0, 0, 1);
  };
  extend(extend, 0, 0, 0);
  return rows;
}

double shortest_of_all(std::int32_t p, std::int32_t m, const Costs& costs,
                       const MemoryBudget& budget, ExactObjective objective) {
  std::vector<std::vector<Row>> rows;
  rows.reserve(static_cast<std::size_t>(p));
  for (std::int32_t s = 0; s < p; ++s) rows.push_back(every_row(s, m));
  Schedule schedule = *zb_h1({p, m, 1});
  double shortest = kNever;
  const auto choose = [&](const auto& self, std::size_t stage) -> void {
    if (stage == rows.size()) {
      if (fits(schedule, budget)) {
        shortest = std::min(shortest, length(schedule, costs, objective));
      }
      return;
    }
    for (const Row& row : rows[stage]) {
      schedule.rows[stage] = row;
      self(self, stage + 1);
    }
  };
  choose(choose, 0);
  return shortest;
}

TEST(Exact, FindsWhatTryingEveryOrderFinds) {
  std::mt19937 random(11);
  const auto below = [&random](std::uint32_t n) {
    return static_cast<double>(random() % n);
  };
  const int tries = !in_full_tier() ? 12 : 200;
  for (int t = 0; t < tries; ++t) {
    const bool three = t % 3 == 0;
    const std::int32_t p = three ? 3 : 2;
    const std::int32_t m = three ? 2 : 3;
    Costs costs;
    costs.stages.resize(static_cast<std::size_t>(p));
    for (StageCosts& stage : costs.stages) {
      stage = {1 + below(4), 1 + below(4), 1 + below(4)};
    }
    costs.within_node.latency = below(2);
    MemoryBudget budget{{}, below(3) / 2};
    for (std::int32_t s = 0; s < p; ++s) budget.limit.push_back(1 + below(5) / 2);
    for (const auto objective :
         {ExactObjective::Makespan, ExactObjective::LongestSpan}) {
      const auto best = exact(one_stage_per_device(p), m, costs, budget, {objective});
      ASSERT_TRUE(best) << best.error().what;
      EXPECT_EQ(best->optimum, shortest_of_all(p, m, costs, budget, objective));
    }
  }
}

// --- What it answers

TEST(Exact, ReturnsAScheduleThatAttainsTheOptimum) {
  Costs costs;
  costs.stages = {{3, 4, 2}};
  costs.within_node.latency = 1;
  for (const double limit : {1.0, 2.0, 3.0, 4.5}) {
    for (const auto objective :
         {ExactObjective::Makespan, ExactObjective::LongestSpan}) {
      const MemoryBudget budget{{limit}, 0.5};
      const auto best = exact(one_stage_per_device(3), 4, costs, budget, {objective});
      ASSERT_TRUE(best) << best.error().what;
      EXPECT_TRUE(verify(best->schedule).empty());
      EXPECT_TRUE(fits(best->schedule, budget));
      EXPECT_EQ(length(best->schedule, costs, objective), best->optimum);
    }
  }
}

TEST(Exact, ProvesTheSmallRowsOfTheUnitTable) {
  struct Row {
    std::int32_t p, m;
    double limit, makespan, span;
  };
  for (const Row& row :
       {Row{4, 8, 4, 27, 27}, Row{4, 8, 8, 27, 24}, Row{4, 4, 4, 15, 15},
        Row{4, 4, 8, 15, 15}, Row{4, 3, 4, 13, 13}, Row{4, 1, 4, 9, 9}}) {
    const Placement placement = one_stage_per_device(row.p);
    const auto makespan = exact(placement, row.m, Costs(), {{row.limit}, 0});
    const auto span = exact(placement, row.m, Costs(), {{row.limit}, 0},
                            {ExactObjective::LongestSpan});
    ASSERT_TRUE(makespan && span);
    EXPECT_EQ(makespan->optimum, row.makespan) << "m=" << row.m;
    EXPECT_EQ(span->optimum, row.span) << "m=" << row.m;
  }
}

TEST(Exact, ProvesThat1F1BIsTheBestWithWholeBackwards) {
  Costs costs;
  costs.stages = {{1, 1, 1}};
  for (std::int32_t p = 1; p <= 3; ++p) {
    for (std::int32_t m = 1; m <= 5; ++m) {
      const auto best =
          exact(one_stage_per_device(p), m, costs, {}, {.split_backward = false});
      ASSERT_TRUE(best) << best.error().what;
      EXPECT_EQ(best->optimum, (m + p - 1) * 3);
      EXPECT_EQ(best->optimum,
                length(one_f_one_b({p, m, 1}), costs, ExactObjective::Makespan));
      EXPECT_TRUE(verify(best->schedule).empty());
    }
  }
}

TEST(Exact, NeedsNoMoreThanOneActivationAndThenTakesOneMicroBatchAtATime) {
  const auto best = exact(one_stage_per_device(2), 3, Costs(), {{1}, 0});
  ASSERT_TRUE(best);
  // F F I I, and the first device's W before its next F: 3 * 5 - 0.
  EXPECT_EQ(best->optimum, 15);
}

// --- How far the others are from it

TEST(Exact, ProvesThatH1IsTheBestInTheMemoryOf1F1B) {
  Costs costs;
  costs.stages = {{4, 4, 3}};
  for (std::int32_t p = 2; p <= 4; ++p) {
    for (std::int32_t m = p; m <= 6; ++m) {
      const MemoryBudget budget{{static_cast<double>(p)}, 0};
      const auto best = exact(one_stage_per_device(p), m, costs, budget,
                              {ExactObjective::LongestSpan});
      ASSERT_TRUE(best) << best.error().what;
      EXPECT_EQ(length(zb_h1({p, m, 1}), costs, ExactObjective::LongestSpan),
                best->optimum)
          << "p=" << p << " m=" << m;
    }
  }
}

// In its own memory it is the best; one activation more would be worth two units.
TEST(Exact, ProvesThatH2IsTheBestInItsMemory) {
  Costs costs;
  costs.stages = {{4, 4, 3}};
  const auto behind = [&](std::int32_t p, std::int32_t m, double limit) {
    const auto best = exact(one_stage_per_device(p), m, costs, {{limit}, 0},
                            {ExactObjective::LongestSpan});
    if (!best) return kNever;
    return length(zb_h2({p, m, 1}), costs, ExactObjective::LongestSpan) - best->optimum;
  };
  for (std::int32_t m = 2; m <= 6; ++m) {
    EXPECT_EQ(behind(2, m, 3), 0) << "m=" << m;
    EXPECT_EQ(behind(3, m, 5), 0) << "m=" << m;
  }
  EXPECT_EQ(behind(4, 4, 7), 0);
  EXPECT_EQ(behind(4, 6, 7), 0);
  EXPECT_EQ(behind(3, 6, 6), 2);
}

// Stages, transfers, limits and shares at random.
TEST(Exact, ProvesThatTheSearchMostlyFindsTheBest) {
  std::mt19937 random(5);
  const auto below = [&random](std::uint32_t n) {
    return static_cast<std::int32_t>(random() % n);
  };
  std::int32_t decided = 0;
  std::int32_t best_found = 0;
  const int tries = !in_full_tier() ? 100 : 600;
  for (int t = 0; t < tries; ++t) {
    const std::int32_t p = 2 + below(2);
    const std::int32_t m = 2 + below(4);
    Costs costs;
    costs.stages.resize(below(2) == 0 ? 1 : static_cast<std::size_t>(p));
    for (StageCosts& stage : costs.stages) {
      stage = {2.0 + below(4), 2.0 + below(4), 1.0 + below(4)};
    }
    costs.within_node.latency = below(2);
    MemoryBudget budget{{}, below(3) / 2.0};
    for (std::int32_t s = 0; s < p; ++s) {
      budget.limit.push_back(1 + below(static_cast<std::uint32_t>(4 * p)) / 2.0);
    }
    const auto best = exact(one_stage_per_device(p), m, costs, budget,
                            {ExactObjective::LongestSpan, true, 100'000});
    if (!best) continue;
    ++decided;
    const double found =
        length(zb_auto({p, m, 1}, costs, budget), costs, ExactObjective::LongestSpan);
    EXPECT_GE(found, best->optimum);
    EXPECT_LE(found, 1.15 * best->optimum);
    best_found += found == best->optimum ? 1 : 0;
  }
  EXPECT_GE(decided, tries * 9 / 10);
  EXPECT_GE(best_found, decided * 9 / 10);
}

TEST(Exact, KnowsTheVPlacement) {
  for (const std::int32_t m : {1, 2, 3, 4}) {
    const MemoryBudget budget{{2}, 0};  // ZB-V's: p micro-batches
    const auto best = exact(v_placement(2), m, Costs(), budget);
    ASSERT_TRUE(best) << best.error().what;
    EXPECT_TRUE(verify(best->schedule).empty());
    EXPECT_TRUE(fits(best->schedule, budget));
    EXPECT_EQ(length(best->schedule, Costs(), ExactObjective::Makespan), best->optimum);
    const auto by_blocks = generate("zb-v", {{2, m, 1}});
    ASSERT_TRUE(by_blocks);
    EXPECT_GE(length(*by_blocks, Costs(), ExactObjective::Makespan), best->optimum);
  }
}

// --- What it refuses

TEST(Exact, GivesUpAfterAsManyStatesAsItIsGranted) {
  Costs costs;
  costs.stages = {{3, 4, 2}};
  costs.within_node.latency = 1;
  const auto answer =
      exact(one_stage_per_device(4), 12, costs, {{4}, 0}, {.most_states = 2'000});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().what.find("is not decided after 2000 states"),
            std::string::npos)
      << answer.error().what;
}

TEST(Exact, RefusesWhatItCannotCount) {
  const auto what = [](const Placement& placement, std::int32_t m, const Costs& costs,
                       const MemoryBudget& budget) {
    const auto answer = exact(placement, m, costs, budget);
    return answer ? "accepted" : answer.error().what;
  };
  Costs broken;
  broken.stages = {{1.5, 1, 1}};
  EXPECT_EQ(what(one_stage_per_device(2), 2, broken, {}),
            "the exact search needs times that are whole, from 1 to 4096");
  broken.stages = {{1, 1, 0}};
  EXPECT_EQ(what(one_stage_per_device(2), 2, broken, {}),
            "the exact search needs times that are whole, from 1 to 4096");
  Costs slow;
  slow.within_node.latency = 4;
  EXPECT_EQ(what(one_stage_per_device(2), 2, slow, {}),
            "the exact search needs transfers that take whole times, up to 3 times "
            "those of the actions before them");
  Costs crowded;
  crowded.within_node.bandwidth = 1;
  crowded.message_bytes = {1};
  EXPECT_EQ(what(one_stage_per_device(2), 2, crowded, {}),
            "the exact search needs transfers that take whole times, up to 3 times "
            "those of the actions before them");
  EXPECT_EQ(what(one_stage_per_device(17), 2, Costs(), {}),
            "the exact search takes up to 16 stages, on no more devices than stages");
  EXPECT_EQ(what(one_stage_per_device(2), 33, Costs(), {}),
            "micro-batches may be at most 32, but 33 was asked for");
  EXPECT_EQ(what(two_way_placement(2), 2, Costs(), {}),
            "the exact search knows one copy of each stage, not two");
  EXPECT_EQ(what({2, {0, 2}}, 2, Costs(), {}),
            "a stage lies on a device that is not there");
  EXPECT_EQ(what(one_stage_per_device(2), 2, Costs(), {{0.5}, 0}),
            "no device can train with less than one activation, and the memory limit "
            "is 0.5");
}

}  // namespace
}  // namespace pipeline

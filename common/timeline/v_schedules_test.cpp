// The V schedules on the clock: what their papers print, and that other sizes are as
// good.
#include "schedule/v_schedules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "schedule/building_block.hpp"
#include "schedule/full_tier.hpp"
#include "schedule/v_order.hpp"
#include "schedule/verify.hpp"
#include "timeline/memory.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

struct Figures {
  double makespan = 0;
  double longest_span = 0;
  double peak = 0;  // in micro-batches, of the worst device
};

Figures figures_of(const Schedule& schedule) {
  EXPECT_TRUE(verify(schedule).empty());
  const auto timeline = simulate(schedule, Costs{});
  if (!timeline) return {};
  const Metrics metrics = measure(schedule, *timeline);
  const std::vector<double> peak = memory(schedule).peak;
  return {metrics.makespan, metrics.longest_span,
          *std::max_element(peak.begin(), peak.end())};
}

using Generate = Expected<Schedule> (*)(const Shape&);

Figures figures_of(Generate generate, std::int32_t p, std::int32_t m,
                   std::int32_t steps = 1) {
  const auto schedule = generate({p, m, steps});
  EXPECT_TRUE(schedule);
  return schedule ? figures_of(*schedule) : Figures{};
}

struct Row {
  std::int32_t p, m;
  double makespan;
};

TEST(VMin, IsAsShortAsItsAuthorsAtTheSamePeak) {
  for (const Row& row : {Row{4, 8, 59}, Row{4, 16, 107}, Row{6, 12, 89},
                         Row{6, 24, 161}, Row{8, 16, 123}, Row{8, 32, 219}}) {
    const Figures figures = figures_of(v_min, row.p, row.m);
    EXPECT_LE(figures.makespan, row.makespan);
    EXPECT_EQ(figures.peak, (row.p + 4) / 3);
  }
}

TEST(VMin, OnEightDevicesIsShorterThanItsAuthors) {
  EXPECT_EQ(figures_of(v_min, 8, 16).makespan, 119);
  EXPECT_EQ(figures_of(v_min, 8, 32).makespan, 215);
}

TEST(VHalf, IsAsShortAsItsAuthorsAtTheSamePeak) {
  for (const Row& row : {Row{4, 8, 53}, Row{4, 16, 101}, Row{6, 12, 83},
                         Row{6, 24, 155}, Row{8, 16, 113}, Row{8, 32, 209}}) {
    const Figures figures = figures_of(v_half, row.p, row.m);
    EXPECT_LE(figures.makespan, row.makespan);
    EXPECT_EQ(figures.peak, (row.p + 2) / 2);
  }
}

TEST(ZBV, HasTheMakespanAndSpanOfItsPaperInTheMemoryOf1F1B) {
  struct Case {
    std::int32_t p, m;
    double makespan, longest_span;
  };
  for (const Case& c : {Case{4, 8, 51, 48}, Case{4, 12, 75, 72}, Case{8, 16, 103, 96},
                        Case{4, 4, 27, 27}, Case{4, 3, 23, 22}, Case{4, 1, 17, 17}}) {
    SCOPED_TRACE("p=" + std::to_string(c.p) + " m=" + std::to_string(c.m));
    const Figures figures = figures_of(zb_v, c.p, c.m);
    EXPECT_EQ(figures.makespan, c.makespan);
    EXPECT_EQ(figures.longest_span, c.longest_span);
    EXPECT_EQ(figures.peak, std::min(c.p, c.m));
  }
  for (const std::int32_t peak : memory(*zb_v({4, 8, 1})).peak_chunks) {
    EXPECT_EQ(peak, 8);
  }
}

TEST(ZBV, HasNoBubbleOnADeviceAtAnySize) {
  for (std::int32_t p = 1; p <= 12; ++p) {
    for (std::int32_t m = 2 * p; m <= 2 * p + 3; ++m) {
      const Figures figures = figures_of(zb_v, p, m);
      EXPECT_EQ(figures.makespan, 6 * m + p - 1);
      EXPECT_EQ(figures.longest_span, 6 * m);
    }
  }
}

TEST(ZBV, InterlocksItsSteps) {
  // Each device begins its next step as soon as it has ended the one before.
  const Figures figures = figures_of(zb_v, 4, 8, 5);
  EXPECT_EQ(figures.makespan, 5 * 48 + 3);
  EXPECT_EQ(figures.longest_span, 5 * 48);
  const auto barrier = zb_v({4, 8, 5, true});
  ASSERT_TRUE(barrier);
  EXPECT_EQ(figures_of(*barrier).makespan, 5 * 51);
}

// Of every size: within the peak, above the bound, and a micro-batch more never makes
// less of a bubble than there must be, nor takes longer than a period and the little
// that a larger bubble adds while the pipeline is not full.
TEST(VSchedules, AreSensibleAtEverySize) {
  struct Kind {
    Generate generate;
    BuildingBlock (*block_of)(std::int32_t);
  };
  const bool full = in_full_tier();
  for (const Kind& kind :
       {Kind{v_min, v_min_block}, Kind{v_half, v_half_block}, Kind{zb_v, zb_v_block}}) {
    for (std::int32_t p = 1; p <= 10; ++p) {
      const std::int32_t peak = peak_bound(kind.block_of(p));
      double makespan = 0;
      double steady_bubble = 0;
      for (std::int32_t m = 1; m <= (full ? 40 : 24); ++m) {
        SCOPED_TRACE("p=" + std::to_string(p) + " m=" + std::to_string(m));
        const Figures figures = figures_of(kind.generate, p, m);
        EXPECT_LE(figures.peak, std::min(peak, m));
        EXPECT_GE(figures.makespan, makespan_bound(p, m, 2 * peak));
        EXPECT_GT(figures.makespan, makespan);
        makespan = figures.makespan;
        if (m < 2 * p) continue;
        EXPECT_EQ(figures.peak, peak);
        if (m > 2 * p) {
          EXPECT_EQ(figures.makespan - 6 * m, steady_bubble);
        }
        steady_bubble = figures.makespan - 6 * m;
      }
    }
  }
}

TEST(VSchedules, TradeMemoryForBubble) {
  for (std::int32_t p = 4; p <= 10; ++p) {
    const Figures least = figures_of(v_min, p, 2 * p);
    const Figures half = figures_of(v_half, p, 2 * p);
    const Figures most = figures_of(zb_v, p, 2 * p);
    EXPECT_LE(least.peak, half.peak);
    EXPECT_LT(half.peak, most.peak);
    EXPECT_GE(least.makespan, half.makespan);
    EXPECT_GT(half.makespan, most.makespan);
  }
}

TEST(VSchedules, HoldTheFirstAndTheLastStageOnOneDevice) {
  for (const Generate generate : {v_min, v_half, zb_v}) {
    const auto schedule = generate({3, 5, 2});
    ASSERT_TRUE(schedule);
    EXPECT_EQ(schedule->placement, v_placement(3));
    EXPECT_EQ(schedule->steps, 2);
    EXPECT_EQ(schedule->rows.front().size(), 2U * (5 * 6 + 2));
  }
}

TEST(VSchedules, AreAsGoodOnManyDevices) {
  const auto schedule = v_half({128, 300, 1});
  ASSERT_TRUE(schedule);
  const Figures figures = figures_of(*schedule);
  EXPECT_EQ(figures.peak, 65);
  EXPECT_EQ(figures.makespan, 6 * 300 + 3 * 128 - 7);
}

}  // namespace
}  // namespace pipeline

// PipeDream in time: it pays for its bubble once in a run, not once in a step.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/verify.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

TEST(PipeDreamTimes, HaveOneBubbleInARunWhateverTheSteps) {
  for (auto* generate : {pipedream, pipedream_vertical_sync, pipedream_2bw}) {
    for (std::int32_t p = 1; p <= 8; ++p) {
      for (const std::int32_t m : {p, p + 3, 17}) {
        for (const std::int32_t steps : {1, 3}) {
          const auto schedule = generate({p, m, steps});
          ASSERT_TRUE(schedule);
          EXPECT_TRUE(verify(*schedule).empty());
          const auto timeline = simulate(*schedule, Costs());
          ASSERT_TRUE(timeline);
          const Metrics metrics = measure(*schedule, *timeline);
          EXPECT_EQ(metrics.makespan, (steps * m + p - 1) * 3);
          EXPECT_EQ(metrics.busy,
                    std::vector<double>(schedule->rows.size(), steps * m * 3));
        }
      }
    }
  }
}

TEST(PipeDreamTimes, IdleOnTheLastDeviceOnlyBeforeItsFirstForward) {
  const auto schedule = pipedream({5, 6, 3});
  ASSERT_TRUE(schedule);
  const auto timeline = simulate(*schedule, Costs());
  ASSERT_TRUE(timeline);
  EXPECT_EQ(measure(*schedule, *timeline).internal_idle.back(), 0);
}

}  // namespace
}  // namespace pipeline

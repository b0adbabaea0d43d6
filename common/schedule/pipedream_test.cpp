#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "schedule/generate.hpp"
#include "schedule/text.hpp"

namespace pipeline {
namespace {

std::string row_text(const Schedule& schedule, std::size_t device) {
  std::string text;
  for (const Entry& entry : schedule.rows[device]) {
    text += (text.empty() ? "" : " ") + to_text(entry.action, false);
  }
  return text;
}

TEST(PipeDream, UpdatesAfterEachBackwardAndDrainsOnlyAtTheEndOfTheRun) {
  const auto schedule = pipedream({3, 2, 2});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->weights, WeightPolicy::Stashed);
  EXPECT_EQ(row_text(*schedule, 0), "F0 F1 F2 B0 U0 F3 B1 U1 B2 U2 B3 U3");
  EXPECT_EQ(row_text(*schedule, 1), "F0 F1 B0 U0 F2 B1 U1 F3 B2 U2 B3 U3");
  EXPECT_EQ(row_text(*schedule, 2), "F0 B0 U0 F1 B1 U1 F2 B2 U2 F3 B3 U3");
}

TEST(PipeDream, KeepsPMinusSMicroBatchesInFlight) {
  for (std::int32_t p = 1; p <= 8; ++p) {
    for (std::int32_t m = 1; m <= 17; ++m) {
      const auto schedule = pipedream({p, m, 2});
      ASSERT_TRUE(schedule);
      for (std::int32_t s = 0; s < p; ++s) {
        std::int32_t live = 0;
        std::int32_t peak = 0;
        for (const Entry& entry : schedule->rows[static_cast<std::size_t>(s)]) {
          if (entry.action.kind == ActionKind::Forward) peak = std::max(peak, ++live);
          if (entry.action.kind == ActionKind::Backward) --live;
        }
        EXPECT_EQ(peak, std::min(p - s, 2 * m));
      }
    }
  }
}

TEST(PipeDream, WithVerticalSyncHasTheSameRowsAndAnotherPolicy) {
  const auto stashed = pipedream({4, 3, 2});
  const auto synced = pipedream_vertical_sync({4, 3, 2});
  ASSERT_TRUE(stashed && synced);
  EXPECT_EQ(synced->rows, stashed->rows);
  EXPECT_EQ(synced->weights, WeightPolicy::VerticalSync);
}

TEST(PipeDream2BW, UpdatesOnceAStepInTheMiddleOfTheNext) {
  const auto schedule = pipedream_2bw({3, 3, 2});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->weights, WeightPolicy::DoubleBuffered);
  EXPECT_EQ(row_text(*schedule, 0), "F0 F1 F2 B0 F3 B1 F4 B2 U2 F5 B3 B4 B5 U5");
  EXPECT_EQ(row_text(*schedule, 2), "F0 B0 F1 B1 F2 B2 U2 F3 B3 F4 B4 F5 B5 U5");
}

TEST(PipeDream2BW, NeedsAsManyMicroBatchesAsDevicesAndSaysSo) {
  for (std::int32_t p = 1; p <= 8; ++p) {
    for (std::int32_t m = 1; m <= 17; ++m) {
      EXPECT_EQ(static_cast<bool>(pipedream_2bw({p, m, 2})), m >= p);
    }
  }
  const auto schedule = pipedream_2bw({4, 3, 1});
  ASSERT_FALSE(schedule);
  EXPECT_EQ(schedule.error().what,
            "pipedream-2bw keeps two versions of the weights, enough only for at least "
            "as many micro-batches an update as devices, but 3 micro-batches for 4 "
            "devices were asked for");
  EXPECT_EQ(schedule.error().remedy,
            "ask for 4 or more micro-batches, or for 3 devices");
}

TEST(PipeDream, HasNoMomentForAGlobalNorm) {
  for (auto* generate : {pipedream, pipedream_vertical_sync, pipedream_2bw}) {
    const auto schedule = generate({2, 4, 1, true});
    ASSERT_FALSE(schedule);
    EXPECT_NE(schedule.error().what.find("no moment"), std::string::npos);
    EXPECT_NE(schedule.error().remedy.find("1f1b"), std::string::npos);
  }
}

}  // namespace
}  // namespace pipeline

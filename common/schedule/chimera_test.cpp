#include "schedule/chimera.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "schedule/text.hpp"
#include "schedule/verify.hpp"

namespace pipeline {
namespace {

std::string row_text(const Schedule& schedule, std::size_t device) {
  std::string text;
  for (const Entry& entry : schedule.rows[device]) {
    text += (text.empty() ? "" : " ") + to_text(entry.action, true);
  }
  return text;
}

std::int32_t peak(const Row& row) {
  std::int32_t live = 0;
  std::int32_t most = 0;
  for (const Entry& entry : row) {
    if (entry.action.kind == ActionKind::Forward) most = std::max(most, ++live);
    if (entry.action.kind == ActionKind::Backward) --live;
  }
  return most;
}

TEST(Chimera, MergesTwoPipelinesInOppositeDirections) {
  const auto schedule = chimera({4, 4, 1});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(row_text(*schedule, 0),
            "0F0 0F1 3F2 3B2 3F3 3B3 0B0 0B1 0AR1 3AR3 0U1 3U3");
  EXPECT_EQ(row_text(*schedule, 1),
            "1F0 2F2 1F1 2F3 2B2 1B0 2B3 1B1 1AR1 2AR3 1U1 2U3");
  EXPECT_EQ(row_text(*schedule, 2),
            "1F2 2F0 1F3 2F1 2B0 1B2 2B1 1B3 1AR3 2AR1 1U3 2U1");
  EXPECT_EQ(row_text(*schedule, 3),
            "0F2 0F3 3F0 3B0 3F1 3B1 0B2 0B3 0AR3 3AR1 0U3 3U1");
}

TEST(Chimera, GivesTheFirstWayTheOddMicroBatch) {
  const auto schedule = chimera({2, 3, 2});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(row_text(*schedule, 0),
            "0F0 1F2 1B2 0B0 0F1 0B1 0AR1 1AR2 0U1 1U2 "
            "0F3 1F5 1B5 0B3 0F4 0B4 0AR4 1AR5 0U4 1U5");
}

TEST(Chimera, FillsTheEndOfAUnitWithTheBeginningOfTheNext) {
  const auto schedule = chimera({4, 8, 1});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(row_text(*schedule, 0).substr(0, 63),
            "0F0 0F1 3F4 3B4 3F5 3B5 0B0 0F2 0B1 0F3 3F6 3B6 3F7 3B7 0B2 0B3");
}

TEST(Chimera, RunsTwoForwardsInARowWhereItDoublesThem) {
  const auto schedule = chimera({4, 8, 1}, Concatenation::ForwardDoubling);
  ASSERT_TRUE(schedule);
  EXPECT_EQ(row_text(*schedule, 3).substr(0, 63),
            "0F4 0F5 0F6 0F7 3F0 3F1 3B0 3F2 3F3 3B1 0B4 3B2 0B5 3B3 0B6 0B7");
}

TEST(Chimera, HoldsHalfAPipelineAndMoreTowardsTheMiddle) {
  for (const std::int32_t p : {2, 4, 6, 8}) {
    for (std::int32_t m = 2; m <= 17; ++m) {
      const auto direct = chimera({p, m, 2});
      const auto doubled = chimera({p, m, 2}, Concatenation::ForwardDoubling);
      ASSERT_TRUE(direct && doubled);
      for (std::int32_t d = 0; d < p; ++d) {
        const auto at = static_cast<std::size_t>(d);
        const std::int32_t most = p / 2 + 1 + std::min(d, p - 1 - d);
        EXPECT_LE(peak(direct->rows[at]), most);
        EXPECT_LE(peak(doubled->rows[at]), most + p);
        if (m % p == 0) {
          EXPECT_EQ(peak(direct->rows[at]), most);
        }
      }
    }
  }
}

TEST(Chimera, SaysWhichSizesItNeeds) {
  const auto odd = chimera({5, 8, 1});
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.error().what,
            "chimera puts stages s and p-1-s on one device and needs an even number of "
            "devices, but 5 were asked for");
  EXPECT_EQ(odd.error().remedy, "ask for 4 or 6 devices");
  const auto one = chimera({2, 1, 1});
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().what,
            "chimera sends micro-batches both ways and needs at least 2, but 1 was "
            "asked for");
  EXPECT_EQ(one.error().remedy, "ask for 2 micro-batches or more, or for 1f1b");
}

TEST(OneDeviceInHalves, RunsEachHalfOnItsOwnCopy) {
  const auto schedule = one_device_in_halves({1, 3, 2});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(row_text(*schedule, 0),
            "0F0 0B0 0F1 0B1 0F2 0B2 0AR1 0AR2 0U1 0U2 "
            "0F3 0B3 0F4 0B4 0F5 0B5 0AR4 0AR5 0U4 0U5");
  EXPECT_TRUE(verify(*schedule).empty());
  EXPECT_EQ(schedule->copy_of(1), 0);
  EXPECT_EQ(schedule->copy_of(2), 1);
  EXPECT_FALSE(one_device_in_halves({2, 4, 1}));
  EXPECT_FALSE(one_device_in_halves({1, 1, 1}));
}

}  // namespace
}  // namespace pipeline

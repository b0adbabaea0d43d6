#include "schedule/interleaved.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "schedule/full_tier.hpp"
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

std::int32_t forwards_before_first_backward(const Row& row) {
  std::int32_t forwards = 0;
  for (const Entry& entry : row) {
    if (entry.action.kind == ActionKind::Backward) break;
    if (entry.action.kind == ActionKind::Forward) ++forwards;
  }
  return forwards;
}

TEST(Interleaved, PassesAGroupThroughOneStageBeforeTheNext) {
  const auto schedule = interleaved({2, 4, 1}, {.chunks = 2});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->placement.device_of_stage,
            (std::vector<std::int32_t>{0, 1, 0, 1}));
  EXPECT_EQ(row_text(*schedule, 0),
            "0F0 0F1 2F0 2F1 0F2 2B0 0F3 2B1 2F2 0B0 2F3 0B1 2B2 2B3 0B2 0B3 0U3 2U3");
  EXPECT_EQ(row_text(*schedule, 1),
            "1F0 1F1 3F0 3B0 3F1 3B1 1F2 1B0 1F3 1B1 3F2 3B2 3F3 3B3 1B2 1B3 1U3 3U3");
}

TEST(Interleaved, WarmsUpByDeviceAndGroup) {
  for (std::int32_t p = 1; p <= 8; ++p) {
    for (std::int32_t v = 1; v <= 4; ++v) {
      const std::int32_t m = 3 * p;
      const auto schedule = interleaved({p, m, 1}, {.chunks = v, .group_size = p});
      ASSERT_TRUE(schedule);
      for (std::int32_t r = 0; r < p; ++r) {
        const std::int32_t warm_up = 2 * (p - 1 - r) + (v - 1) * p;
        EXPECT_EQ(
            forwards_before_first_backward(schedule->rows[static_cast<std::size_t>(r)]),
            warm_up + 1)
            << "p=" << p << " v=" << v << " r=" << r;
      }
    }
  }
}

TEST(Interleaved, BalancesItsGroupsUnlessTheirSizeIsGiven) {
  using Sizes = std::vector<std::int32_t>;
  EXPECT_EQ(interleaved_groups(4, 8, 0), (Sizes{4, 4}));
  EXPECT_EQ(interleaved_groups(4, 10, 0), (Sizes{5, 5}));
  EXPECT_EQ(interleaved_groups(4, 11, 0), (Sizes{6, 5}));
  EXPECT_EQ(interleaved_groups(4, 7, 0), (Sizes{7}));
  EXPECT_EQ(interleaved_groups(4, 3, 0), (Sizes{3}));
  EXPECT_EQ(interleaved_groups(4, 1, 0), (Sizes{1}));
  EXPECT_EQ(interleaved_groups(4, 10, 4), (Sizes{4, 4, 2}));
  EXPECT_EQ(interleaved_groups(4, 10, 99), (Sizes{10}));
}

// Also those that Megatron-LM refuses, since their last groups are too small.
TEST(Interleaved, IsValidAtEverySizeAndGroupSize) {
  const std::int32_t most = !in_full_tier() ? 6 : 9;
  std::int32_t tried = 0;
  for (std::int32_t p = 1; p <= most; ++p) {
    for (std::int32_t v = 1; v <= 4; ++v) {
      for (std::int32_t m = 1; m <= 3 * most; ++m) {
        for (std::int32_t g = 0; g <= m; ++g) {
          const auto schedule = interleaved({p, m, 1}, {.chunks = v, .group_size = g});
          ASSERT_TRUE(schedule);
          const auto faults = verify(*schedule);
          ASSERT_TRUE(faults.empty()) << "p=" << p << " v=" << v << " m=" << m
                                      << " G=" << g << ": " << faults.front().reason;
          ++tried;
        }
      }
    }
  }
  EXPECT_GT(tried, 4000);
}

TEST(Interleaved, WithOneStageADeviceIsOneFOneBWithTwiceItsWarmUp) {
  const auto schedule = interleaved({3, 6, 1}, {.chunks = 1});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(forwards_before_first_backward(schedule->rows[0]), 5);
  EXPECT_EQ(forwards_before_first_backward(schedule->rows[2]), 1);
}

TEST(Interleaved, IsRefusedWithoutChunksOrWithANegativeGroup) {
  const auto none = interleaved({3, 6, 1}, {.chunks = 0});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what, "chunks must be at least 1, but 0 was asked for");
  const auto negative = interleaved({3, 6, 1}, {.chunks = 2, .group_size = -1});
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().what,
            "group size must be at least 1, but -1 was asked for");
}

TEST(Interleaved, SaysWhatPyTorchTakes) {
  EXPECT_FALSE(refused_by_pytorch(4, 8));
  EXPECT_FALSE(refused_by_pytorch(4, 10));
  EXPECT_FALSE(refused_by_pytorch(4, 7));
  EXPECT_FALSE(refused_by_pytorch(4, 3));
  EXPECT_FALSE(refused_by_pytorch(4, 1));
  const auto refused = refused_by_pytorch(4, 11);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->what,
            "PyTorch cuts a step into 2 equal groups, and 11 micro-batches do not "
            "divide into them");
  EXPECT_EQ(refused->remedy, "take 10 or 12 micro-batches");
}

// By the rule itself: every count within p of a refused one.
TEST(Interleaved, NamesTheNearestCountsThatPyTorchTakes) {
  for (std::int32_t p = 1; p <= 9; ++p) {
    for (std::int32_t m = 1; m <= 60; ++m) {
      const auto fits = [p](std::int32_t n) { return n < 2 * p || n % (n / p) == 0; };
      const auto refused = refused_by_pytorch(p, m);
      ASSERT_EQ(!refused, fits(m)) << p << " " << m;
      if (!refused) continue;
      std::int32_t below = m;
      std::int32_t above = m;
      while (!fits(below)) --below;
      while (!fits(above)) ++above;
      EXPECT_EQ(refused->remedy, "take " + std::to_string(below) + " or " +
                                     std::to_string(above) + " micro-batches");
    }
  }
}

TEST(Interleaved, SaysWhatMegatronTakes) {
  EXPECT_FALSE(refused_by_megatron(4, 8, 4));
  EXPECT_FALSE(refused_by_megatron(4, 10, 5));
  EXPECT_FALSE(refused_by_megatron(4, 10, 6));
  EXPECT_FALSE(refused_by_megatron(4, 10, 10));
  const auto left_over = refused_by_megatron(4, 10, 4);
  ASSERT_TRUE(left_over);
  EXPECT_EQ(left_over->what,
            "Megatron-LM takes groups of 4 to 10 micro-batches that leave over none or "
            "at least 4, but groups of 4 were asked for");
  EXPECT_EQ(left_over->remedy, "take groups of 5");
  const auto too_large = refused_by_megatron(4, 10, 11);
  ASSERT_TRUE(too_large);
  EXPECT_EQ(too_large->remedy, "take groups of 10");
  const auto too_small = refused_by_megatron(4, 11, 0);
  ASSERT_TRUE(too_small);
  EXPECT_EQ(too_small->remedy, "take groups of 6");
  const auto between = refused_by_megatron(4, 11, 9);
  ASSERT_TRUE(between);
  EXPECT_EQ(between->remedy, "take groups of 7 or 11");
  const auto too_few = refused_by_megatron(4, 3, 4);
  ASSERT_TRUE(too_few);
  EXPECT_EQ(
      too_few->what,
      "Megatron-LM needs a group of at least 4 micro-batches, but the step has 3");
  EXPECT_EQ(too_few->remedy, "take at least 4 micro-batches");
}

}  // namespace
}  // namespace pipeline

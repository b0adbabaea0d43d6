#include "schedule/building_block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace pipeline {
namespace {

constexpr std::int32_t kLargest = 64;

template <typename Check>
void for_every_block(const Check& check) {
  for (std::int32_t p = 1; p <= kLargest; ++p) {
    SCOPED_TRACE("p=" + std::to_string(p));
    for (auto* block_of : {v_min_block, v_half_block, zb_v_block}) {
      check(block_of(p), p);
    }
  }
}

TEST(BuildingBlock, OfVMinAndVHalfStandsAtThePapersOffsets) {
  // F0, F1, I1, I0 of each device; weight gradients in the gaps between them.
  EXPECT_EQ(v_min_block(4), (BuildingBlock{{0, 7, 8, 15, 10, 17},
                                           {1, 6, 9, 14, 10, 17},
                                           {2, 5, 10, 13, 12, 15},
                                           {3, 4, 11, 12, 13, 14}}));
  EXPECT_EQ(v_min_block(3),
            (BuildingBlock{
                {0, 5, 8, 13, 9, 16}, {1, 4, 9, 12, 11, 14}, {2, 3, 10, 11, 12, 13}}));
  const BuildingBlock half = v_half_block(4);
  for (std::int32_t i = 0; i < 4; ++i) {
    const Offsets& offsets = half[static_cast<std::size_t>(i)];
    EXPECT_EQ(offset_of(offsets, BlockPass::Forward0), 2 * i);
    EXPECT_EQ(offset_of(offsets, BlockPass::Forward1), 10 - i);
    EXPECT_EQ(offset_of(offsets, BlockPass::InputGradient1), 14 + 2 * i);
    EXPECT_EQ(offset_of(offsets, BlockPass::InputGradient0), 25 - i);
  }
}

TEST(BuildingBlock, NeverNeedsADeviceTwiceInATickHoweverOftenItIsRepeated) {
  for_every_block([](const BuildingBlock& block, std::int32_t) {
    for (const Offsets& offsets : block) {
      std::set<std::int32_t> places;
      for (const std::int32_t offset : offsets) places.insert(offset % kPeriod);
      EXPECT_EQ(places.size(), static_cast<std::size_t>(kPeriod));
    }
  });
}

TEST(BuildingBlock, PassesAMicroBatchOnNoEarlierThanItIsThere) {
  for_every_block([](const BuildingBlock& block, std::int32_t p) {
    const auto start = [&](BlockPass pass, std::int32_t device) {
      return offset_of(block[static_cast<std::size_t>(device)], pass);
    };
    for (std::int32_t d = 0; d < p; ++d) {
      if (d > 0) {
        EXPECT_GT(start(BlockPass::Forward0, d), start(BlockPass::Forward0, d - 1));
        EXPECT_LT(start(BlockPass::Forward1, d), start(BlockPass::Forward1, d - 1));
        EXPECT_GT(start(BlockPass::InputGradient1, d),
                  start(BlockPass::InputGradient1, d - 1));
        EXPECT_LT(start(BlockPass::InputGradient0, d),
                  start(BlockPass::InputGradient0, d - 1));
      }
      EXPECT_GT(start(BlockPass::WeightGradient1, d),
                start(BlockPass::InputGradient1, d));
      EXPECT_GT(start(BlockPass::WeightGradient0, d),
                start(BlockPass::InputGradient0, d));
    }
    EXPECT_GT(start(BlockPass::Forward1, p - 1), start(BlockPass::Forward0, p - 1));
    EXPECT_GT(start(BlockPass::InputGradient1, 0), start(BlockPass::Forward1, 0));
    EXPECT_GT(start(BlockPass::InputGradient0, p - 1),
              start(BlockPass::InputGradient1, p - 1));
  });
}

TEST(BuildingBlock, LifespansReachFromAForwardToTheEndOfItsWeightGradient) {
  const BuildingBlock block = v_min_block(4);
  EXPECT_EQ(lifespans(block[0]), (std::array<std::int32_t, 2>{18, 4}));
  EXPECT_EQ(lifespans(block[3]), (std::array<std::int32_t, 2>{12, 10}));
}

TEST(BuildingBlock, BoundsItsPeakByTheSumOfItsLifespansOverThePeriod) {
  for (std::int32_t p = 1; p <= kLargest; ++p) {
    SCOPED_TRACE("p=" + std::to_string(p));
    EXPECT_EQ(peak_bound(v_min_block(p)), (p + 4) / 3);
    EXPECT_EQ(peak_bound(v_half_block(p)), (p + 2) / 2);
    EXPECT_EQ(peak_bound(zb_v_block(p)), p);
  }
  EXPECT_EQ(peak_bound(Offsets{0, 7, 8, 15, 10, 17}), 2);  // 18 + 4 ticks over 12
  EXPECT_EQ(peak_bound(Offsets{0, 7, 8, 15, 10, 20}), 3);  // 21 + 4
}

TEST(BuildingBlock, EndsWithItsLastPassOnAnyDevice) {
  EXPECT_EQ(length(v_min_block(1)), 6);
  EXPECT_EQ(length(v_min_block(4)), 18);
  EXPECT_EQ(repeated_makespan(18, 8), 60);
}

}  // namespace
}  // namespace pipeline

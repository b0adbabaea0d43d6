#include "schedule/v_exact.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "schedule/building_block.hpp"
#include "schedule/full_tier.hpp"
#include "schedule/v_order.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kManyStates = 400'000;

// One device has nothing to wait for; two with one micro-batch go F F F F I I I I W,
// of which the weight gradients but the last have time on the way.
TEST(VExact, KnowsWhatIsShortestWhereThatIsPlain) {
  for (std::int32_t m = 1; m <= 4; ++m) {
    EXPECT_EQ(can_end_within(1, m, 2, 6 * m, kManyStates), true);
    EXPECT_EQ(can_end_within(1, m, 2, 6 * m - 1, kManyStates), false);
  }
  EXPECT_EQ(can_end_within(2, 1, 4, 9, kManyStates), true);
  EXPECT_EQ(can_end_within(2, 1, 4, 8, kManyStates), false);
}

TEST(VExact, FindsMoreTimeNeededInLessMemory) {
  // Three devices, five micro-batches: ZB-V's 32 ticks need six chunks.
  EXPECT_EQ(can_end_within(3, 5, 6, 32, kManyStates), true);
  EXPECT_EQ(can_end_within(3, 5, 4, 34, kManyStates), false);
  EXPECT_EQ(can_end_within(3, 5, 4, 35, kManyStates), true);
}

TEST(VExact, SaysSoWhenItIsTooMuch) {
  EXPECT_EQ(can_end_within(4, 8, 4, 59, 10), std::nullopt);
  EXPECT_EQ(can_end_within(9, 1, 4, 50, kManyStates), std::nullopt);
  EXPECT_EQ(can_end_within(2, 256, 4, 2000, kManyStates), std::nullopt);
  EXPECT_EQ(can_end_within(2, 2, 1, 2000, kManyStates), std::nullopt);
}

// The proof that reordering leaves nothing to be found, at sizes that can be gone
// through.
TEST(VSchedules, AreTheShortestThatThereAreInTheirMemory) {
  const bool full = in_full_tier();
  for (auto* block_of : {v_min_block, v_half_block, zb_v_block}) {
    for (std::int32_t p = 1; p <= (full ? 5 : 4); ++p) {
      const BuildingBlock block = block_of(p);
      const std::int32_t limit = 2 * peak_bound(block);
      for (std::int32_t m = 1; m <= (p < 5 ? 8 : 5); ++m) {
        SCOPED_TRACE("p=" + std::to_string(p) + " m=" + std::to_string(m) +
                     " limit=" + std::to_string(limit));
        const std::int32_t ticks = squeeze(v_order(block, m)).makespan;
        EXPECT_EQ(can_end_within(p, m, limit, ticks - 1, kManyStates), false);
        if (p < 4) {
          EXPECT_EQ(can_end_within(p, m, limit, ticks, kManyStates), true);
        }
      }
    }
  }
}

}  // namespace
}  // namespace pipeline

#include "schedule/v_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "schedule/full_tier.hpp"

namespace pipeline {
namespace {

using BlockOf = BuildingBlock (*)(std::int32_t);
constexpr std::array<BlockOf, 3> kBlocks{v_min_block, v_half_block, zb_v_block};

std::int32_t largest() { return in_full_tier() ? 16 : 9; }

template <typename Check>
void for_all_sizes(const Check& check) {
  for (std::size_t kind = 0; kind < kBlocks.size(); ++kind) {
    for (std::int32_t p = 1; p <= largest(); ++p) {
      const BuildingBlock block = kBlocks[kind](p);
      for (std::int32_t m = 1; m <= 2 * p + 6; ++m) {
        SCOPED_TRACE("block " + std::to_string(kind) + " p=" + std::to_string(p) +
                     " m=" + std::to_string(m));
        check(block, m);
      }
    }
  }
}

std::int32_t limit_of(const BuildingBlock& block) { return 2 * peak_bound(block); }

// An order in which each kind runs m times on each device.
void expect_complete(const VOrder& order) {
  for (const auto& row : order.rows) {
    std::array<std::int32_t, kPasses> counts{};
    for (const BlockPass pass : row) ++counts[static_cast<std::size_t>(pass)];
    for (const std::int32_t count : counts) EXPECT_EQ(count, order.micro_batches);
  }
}

TEST(VOrder, RepeatsTheBlockOnceForEachMicroBatchInOrderOfTime) {
  using enum BlockPass;
  const VOrder order = repeat({{0, 1, 2, 4, 3, 5}}, 2);
  EXPECT_EQ(order.rows.front(),
            (std::vector<BlockPass>{Forward0, Forward1, InputGradient1, WeightGradient1,
                                    InputGradient0, WeightGradient0, Forward0, Forward1,
                                    InputGradient1, WeightGradient1, InputGradient0,
                                    WeightGradient0}));
  for_all_sizes([](const BuildingBlock& block, std::int32_t m) {
    const VOrder repeated = repeat(block, m);
    EXPECT_EQ(repeated.micro_batches, m);
    expect_complete(repeated);
    EXPECT_LE(peak_chunks(repeated), limit_of(block));
  });
}

TEST(VOrder, SqueezedKeepsItsOrderAndEndsNoLater) {
  for_all_sizes([](const BuildingBlock& block, std::int32_t m) {
    const VOrder order = repeat(block, m);
    const Squeezed squeezed = squeeze(order);
    EXPECT_EQ(squeezed.order, order);
    EXPECT_LE(squeezed.makespan, repeated_makespan(length(block), m));
    for (std::size_t d = 0; d < block.size(); ++d) {
      EXPECT_TRUE(std::is_sorted(squeezed.starts[d].begin(), squeezed.starts[d].end()));
      EXPECT_LE(squeezed.starts[d].back() + 1, squeezed.makespan);
    }
  });
}

TEST(VOrder, SqueezingVHalfAloneLeavesMoreThanReordering) {
  struct Case {
    std::int32_t p, m, squeezed, reordered;
  };
  for (const Case& c :
       {Case{4, 8, 60, 53}, Case{4, 16, 108, 101}, Case{6, 12, 91, 83},
        Case{6, 24, 163, 155}, Case{8, 16, 122, 113}, Case{8, 32, 218, 209}}) {
    const VOrder order = repeat(v_half_block(c.p), c.m);
    EXPECT_EQ(squeeze(order).makespan, c.squeezed);
    EXPECT_EQ(reorder(order, limit_of(v_half_block(c.p))).makespan, c.reordered);
  }
}

TEST(VOrder, MovingPassesKeepsThemAllWithinTheLimitAndEndsNoLater) {
  for_all_sizes([](const BuildingBlock& block, std::int32_t m) {
    const VOrder order = repeat(block, m);
    const std::int32_t limit = limit_of(block);
    const Squeezed forward = move_forward(order, limit);
    const VOrder back = move_back(order, limit);
    for (const VOrder& moved : {forward.order, back}) {
      expect_complete(moved);
      EXPECT_LE(peak_chunks(moved), limit);
      EXPECT_LE(squeeze(moved).makespan, squeeze(order).makespan);
    }
    EXPECT_EQ(squeeze(forward.order).makespan, forward.makespan);
    EXPECT_EQ(squeeze(forward.order).starts, forward.starts);
  });
}

TEST(VOrder, GivesForwardsTheRoomThatTheLimitLeavesAndNoMore) {
  // Of one device a second forward can come first only with room for it.
  using enum BlockPass;
  const VOrder order = repeat({{0, 1, 2, 4, 3, 5}, {0, 1, 2, 4, 3, 5}}, 3);
  for (std::int32_t limit = 2; limit <= 6; ++limit) {
    EXPECT_LE(peak_chunks(move_forward(order, limit).order), limit);
  }
  EXPECT_LT(move_forward(order, 4).makespan, move_forward(order, 2).makespan);
}

TEST(VOrder, ReorderedIsNoBetterThanTheBoundAndNoWorseThanEitherWay) {
  for_all_sizes([](const BuildingBlock& block, std::int32_t m) {
    const VOrder order = repeat(block, m);
    const std::int32_t limit = limit_of(block);
    const Squeezed best = reorder(order, limit);
    const auto p = static_cast<std::int32_t>(block.size());
    EXPECT_GE(best.makespan, makespan_bound(p, m, limit));
    EXPECT_GE(best.longest_span, kPasses * m);
    EXPECT_LE(best.makespan, move_forward(order, limit).makespan);
    EXPECT_LE(best.makespan, squeeze(move_back(order, limit)).makespan);
    EXPECT_LE(peak_chunks(best.order), limit);
  });
}

TEST(VOrder, StretchedItsMiddleTakesAPeriodMoreForEachMicroBatch) {
  for_all_sizes([](const BuildingBlock& block, std::int32_t m) {
    const std::int32_t limit = limit_of(block);
    const Squeezed few = reorder(repeat(block, m), limit);
    for (const std::int32_t more : {1, 5}) {
      const auto many = stretch(few, more);
      if (!many) {
        EXPECT_LT(m, 2 * static_cast<std::int32_t>(block.size()));
        continue;
      }
      expect_complete(*many);
      EXPECT_EQ(many->micro_batches, m + more);
      const Squeezed squeezed = squeeze(*many);
      EXPECT_EQ(squeezed.makespan, few.makespan + kPeriod * more);
      EXPECT_EQ(peak_chunks(*many), peak_chunks(few.order));
    }
  });
}

TEST(VOrder, OfManyMicroBatchesIsAsGoodStretchedAsGoneThrough) {
  for_all_sizes([](const BuildingBlock& block, std::int32_t m) {
    const Squeezed stretched = squeeze(v_order(block, m));
    const Squeezed whole = reorder(repeat(block, m), limit_of(block));
    EXPECT_EQ(stretched.makespan, whole.makespan);
    EXPECT_EQ(stretched.longest_span, whole.longest_span);
  });
}

}  // namespace
}  // namespace pipeline

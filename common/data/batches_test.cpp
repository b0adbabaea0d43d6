#include "data/batches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace pipeline {
namespace {

std::vector<std::int32_t> copy(std::span<const std::int32_t> rows) {
  return {rows.begin(), rows.end()};
}

TEST(BatchOrder, ShowsEveryRowOnceAnEpochInAnotherOrderEachTime) {
  auto order = BatchOrder::make(60, 12, 7);
  ASSERT_TRUE(order);
  ASSERT_EQ(order->batches_per_epoch(), 5);
  std::vector<std::int32_t> all(60);
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::vector<std::int32_t>> epochs;
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<std::int32_t> seen;
    for (std::int64_t i = 0; i < 5; ++i) {
      const auto rows = order->batch(epoch * 5 + i);
      ASSERT_EQ(rows.size(), 12U);
      seen.insert(seen.end(), rows.begin(), rows.end());
    }
    epochs.push_back(seen);
    EXPECT_NE(seen, all);
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, all);
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_NE(epochs[1], epochs[2]);
}

TEST(BatchOrder, GivesTheSameBatchAgainWhicheverCameBefore) {
  auto order = BatchOrder::make(100, 30, 3);
  ASSERT_TRUE(order);
  const auto fifth = copy(order->batch(5));
  const auto first = copy(order->batch(0));
  EXPECT_NE(first, fifth);
  EXPECT_EQ(copy(order->batch(5)), fifth);
  EXPECT_EQ(copy(order->batch(0)), first);
}

TEST(BatchOrder, DependsOnTheSeed) {
  auto one = BatchOrder::make(50, 50, 1);
  auto two = BatchOrder::make(50, 50, 2);
  EXPECT_NE(copy(one->batch(0)), copy(two->batch(0)));
}

// Worked out apart from the code, from the definition of SplitMix64 and Fisher-Yates.
TEST(BatchOrder, IsTheSameOnEveryPlatform) {
  auto order = BatchOrder::make(8, 8, 1);
  EXPECT_EQ(copy(order->batch(0)), (std::vector<std::int32_t>{0, 5, 2, 7, 3, 4, 1, 6}));
}

TEST(BatchOrder, RefusesABatchThatCannotBeFilled) {
  for (const std::int32_t rows : {0, -1, 11}) {
    const auto order = BatchOrder::make(10, rows, 1);
    ASSERT_FALSE(order);
    EXPECT_EQ(order.error().what,
              "a batch of " + std::to_string(rows) + " rows out of 10 cannot be made");
  }
}

TEST(Gather, CopiesTheNamedRowsSideBySide) {
  ImageSet set;
  set.count = 4;
  set.labels = {7, 5, 3, 1};
  for (std::int32_t i = 0; i < 4 * FashionMnist::kPixels; ++i) {
    set.pixels.push_back(static_cast<float>(i));
  }
  std::vector<float> inputs;
  std::vector<std::int32_t> labels;
  gather(set, std::vector<std::int32_t>{2, 0, 3}, inputs, labels);
  EXPECT_EQ(labels, (std::vector<std::int32_t>{3, 7, 1}));
  ASSERT_EQ(inputs.size(), 3U * 784U);
  EXPECT_EQ(inputs[0], 2 * 784.0F);
  EXPECT_EQ(inputs[783], 3 * 784.0F - 1);
  EXPECT_EQ(inputs[784], 0.0F);
  EXPECT_EQ(inputs[3 * 784 - 1], 4 * 784.0F - 1);
}

}  // namespace
}  // namespace pipeline

#include "data/split.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace pipeline {
namespace {

std::vector<std::int32_t> lengths(std::int32_t rows, std::int32_t micro_batches) {
  std::vector<std::int32_t> found;
  const auto split = split_rows(rows, micro_batches);
  EXPECT_TRUE(split) << split.error().what;
  if (!split) return found;
  for (const RowRange& range : *split) found.push_back(range.rows());
  return found;
}

TEST(SplitRows, GivesTheFirstMicroBatchesWhatIsLeftOver) {
  EXPECT_EQ(lengths(8, 3), (std::vector<std::int32_t>{3, 3, 2}));
  EXPECT_EQ(lengths(10, 4), (std::vector<std::int32_t>{3, 3, 2, 2}));
  EXPECT_EQ(lengths(12, 4), (std::vector<std::int32_t>{3, 3, 3, 3}));
  EXPECT_EQ(lengths(5, 5), (std::vector<std::int32_t>{1, 1, 1, 1, 1}));
  EXPECT_EQ(lengths(7, 1), (std::vector<std::int32_t>{7}));
}

TEST(SplitRows, CoversEveryRowOnceAndStaysBalanced) {
  for (std::int32_t rows = 1; rows <= 40; ++rows) {
    for (std::int32_t micro_batches = 1; micro_batches <= rows; ++micro_batches) {
      const auto split = split_rows(rows, micro_batches);
      ASSERT_TRUE(split);
      ASSERT_EQ(split->size(), static_cast<std::size_t>(micro_batches));
      std::int32_t next = 0;
      for (const RowRange& range : *split) {
        EXPECT_EQ(range.begin, next);
        EXPECT_GE(range.rows(), rows / micro_batches);
        EXPECT_LE(range.rows(), (rows + micro_batches - 1) / micro_batches);
        next = range.end;
      }
      EXPECT_EQ(next, rows);
    }
  }
}

TEST(SplitRows, RefusesFewerRowsThanMicroBatches) {
  const auto split = split_rows(3, 4);
  ASSERT_FALSE(split);
  EXPECT_EQ(split.error().what, "a batch of 3 rows has too few for 4 micro-batches");
  EXPECT_EQ(split.error().kind, ErrorKind::Invalid);
}

TEST(SplitRows, RefusesLessThanOneMicroBatch) {
  EXPECT_FALSE(split_rows(8, 0));
  EXPECT_FALSE(split_rows(8, -2));
  EXPECT_FALSE(split_rows(0, 1));
  EXPECT_FALSE(split_rows(-8, 1));
}

TEST(MicroBatchWeights, AreTheSharesOfTheBatch) {
  EXPECT_EQ(micro_batch_weights(*split_rows(8, 3)),
            (std::vector<double>{3.0 / 8, 3.0 / 8, 2.0 / 8}));
}

// Losses 1 to 8 in micro-batches of 3, 3 and 2 have means 2, 5 and 7.5. Their plain
// mean is 4.83, the mean of the batch 4.5.
TEST(MeanOfMicroBatches, CountsEachRowOnceInARaggedSplit) {
  const std::vector<double> means = {2, 5, 7.5};
  EXPECT_DOUBLE_EQ(mean_of_micro_batches(means, *split_rows(8, 3)), 4.5);
}

}  // namespace
}  // namespace pipeline

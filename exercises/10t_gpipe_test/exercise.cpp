// Exercise 10t: the tests of GPipe. The task is in exercises/10t_gpipe_test/README.md.
#include "exercise.hpp"

#include <cstddef>

namespace pipeline {
namespace {

TEST(GPipeRow, HoldsForwardsThenBackwards) {
  // Your turn. This much is true of right rows, and of many wrong ones.
  EXPECT_FALSE(gpipe_row(2, 3).empty());
}

TEST(Accumulate, WeighsEachMicroBatchByItsRows) {
  // Your turn. A single micro-batch cannot show much: why?
  EXPECT_EQ(accumulate({{0.5}}, {7}).size(), 1U);
}

TEST(MicroBatchesNeeded, IsTheFewestThatKeepTheBubbleSmall) {
  // Your turn. Which answer would be too large, and which too small?
  EXPECT_GT(micro_batches_needed(4, 50), 0);
}

}  // namespace
}  // namespace pipeline

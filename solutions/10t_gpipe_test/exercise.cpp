// Exercise 10t: the tests of GPipe. The task is in exercises/10t_gpipe_test/README.md.
#include "exercise.hpp"

#include <cstddef>

namespace pipeline {
namespace {

TEST(GPipeRow, HoldsForwardsThenBackwards) {
  // <solution>
  // Written out by hand, so that nothing of the loops that are tested comes back in the
  // test. Three micro-batches are the fewest that tell "from the first to the last"
  // from both "one at a time" and "from the last to the first" at a glance; a stage
  // that is not 0 shows one that is left out.
  const Row three = {forward_of(2, 0),  forward_of(2, 1),  forward_of(2, 2),
                     backward_of(2, 0), backward_of(2, 1), backward_of(2, 2)};
  EXPECT_EQ(gpipe_row(2, 3), three);
  // The smallest of all: loops that run once too often or not at all show here.
  const Row one = {forward_of(0, 0), backward_of(0, 0)};
  EXPECT_EQ(gpipe_row(0, 1), one);
  //~ // Your turn. This much is true of right rows, and of many wrong ones.
  //~ EXPECT_FALSE(gpipe_row(2, 3).empty());
  // </solution>
}

TEST(Accumulate, WeighsEachMicroBatchByItsRows) {
  // <solution>
  // The mean over all rows, worked out from the rows themselves: the batch has the
  // rows 1 2 3 | 10 20, in two micro-batches. Their means are 2 and 15, and the mean of
  // all five is 36/5. The mean of the means would be 8.5, their sum 17.
  const std::vector<double> ragged = accumulate({{2}, {15}}, {3, 2});
  ASSERT_EQ(ragged.size(), 1U);
  EXPECT_NEAR(ragged[0], 36.0 / 5, 1e-9);
  // Sums with rounding differ in their last bits from one right order to another, so
  // the comparison leaves room for them. With several values no two are alike, or one
  // that stands in another's place would not show.
  const std::vector<double> three = accumulate({{1, -4}, {2, 8}, {9, 3}}, {2, 2, 1});
  ASSERT_EQ(three.size(), 2U);
  EXPECT_NEAR(three[0], (1 + 1 + 2 + 2 + 9) / 5.0, 1e-9);
  EXPECT_NEAR(three[1], (-4 - 4 + 8 + 8 + 3) / 5.0, 1e-9);
  // One micro-batch is the batch.
  EXPECT_EQ(accumulate({{0.5}}, {7}), std::vector<double>{0.5});
  //~ // Your turn. A single micro-batch cannot show much: why?
  //~ EXPECT_EQ(accumulate({{0.5}}, {7}).size(), 1U);
  // </solution>
}

TEST(MicroBatchesNeeded, IsTheFewestThatKeepTheBubbleSmall) {
  // <solution>
  // Not the formula again, which could be wrong twice, but a count of columns: of all
  // that a step has, devices-1 are idle. "The fewest" says two things, and both are
  // asked for: it is enough, and one less is not.
  for (const std::int32_t devices : {2, 4, 7}) {
    for (const std::int32_t percent : {10, 33, 50}) {
      const std::int32_t m = micro_batches_needed(devices, percent);
      const auto is_enough = [&](std::int32_t micro_batches) {
        const std::int32_t idle = devices - 1;
        const std::int32_t columns = micro_batches + idle;
        return 100 * idle <= percent * columns;
      };
      EXPECT_TRUE(is_enough(m)) << m;
      EXPECT_FALSE(m > 1 && is_enough(m - 1)) << m;
    }
  }
  // Counted in a picture of chapter 10: 4 devices, 3 of 6 columns idle.
  EXPECT_EQ(micro_batches_needed(4, 50), 3);
  // One device never idles.
  EXPECT_EQ(micro_batches_needed(1, 1), 1);
  //~ // Your turn. Which answer would be too large, and which too small?
  //~ EXPECT_GT(micro_batches_needed(4, 50), 0);
  // </solution>
}

}  // namespace
}  // namespace pipeline

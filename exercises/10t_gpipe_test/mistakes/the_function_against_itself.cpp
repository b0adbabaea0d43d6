// mistake: what is expected comes from the function that is tested
// fails: Catches.BubbleOverIdeal
// says: Your tests pass, although this is wrong
// points: 0
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(GPipeRow, IsTheRow) {
  for (std::int32_t stage = 0; stage < 4; ++stage)
    EXPECT_EQ(gpipe_row(stage, 5).size(), gpipe_row(0, 5).size());
}

TEST(Accumulate, IsTheSameTwice) {
  EXPECT_EQ(accumulate({{2}, {15}}, {3, 2}), accumulate({{2}, {15}}, {3, 2}));
}

TEST(MicroBatchesNeeded, IsTheSameTwice) {
  EXPECT_EQ(micro_batches_needed(4, 50), micro_batches_needed(4, 50));
}

}  // namespace
}  // namespace pipeline

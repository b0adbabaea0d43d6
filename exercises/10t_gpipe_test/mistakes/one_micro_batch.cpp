// mistake: only one micro-batch, and only one device
// fails: Catches.OneAtATime
// says: Your tests pass, although this is wrong
// points: 2
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(GPipeRow, IsAForwardAndABackward) {
  EXPECT_EQ(gpipe_row(3, 1), Row({forward_of(3, 0), backward_of(3, 0)}));
}

TEST(Accumulate, IsTheGradientOfTheOnlyMicroBatch) {
  EXPECT_EQ(accumulate({{0.5, -2}}, {3}), std::vector<double>({0.5, -2}));
}

TEST(MicroBatchesNeeded, IsOneOnOneDevice) {
  EXPECT_EQ(micro_batches_needed(1, 10), 1);
}

}  // namespace
}  // namespace pipeline

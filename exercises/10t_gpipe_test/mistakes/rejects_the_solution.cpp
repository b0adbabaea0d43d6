// mistake: asks for backwards from the last micro-batch to the first
// fails: Accepts.TheSolution
// says: So they ask for something that the contract does not promise
// points: 0
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(GPipeRow, TurnsAroundAtTheLastMicroBatch) {
  const Row turned = {forward_of(0, 0), forward_of(0, 1), backward_of(0, 1),
                      backward_of(0, 0)};
  EXPECT_EQ(gpipe_row(0, 2), turned);
}

TEST(MicroBatchesNeeded, IsThreeForHalfOfFour) {
  EXPECT_EQ(micro_batches_needed(4, 50), 3);
}

}  // namespace
}  // namespace pipeline

// mistake: asks for backwards from the last micro-batch to the first
// points: 0
// fails: Accepts.TheSolution
// says: So they ask for something that the contract does not promise
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(GPipeRow, TurnsAroundAtTheLastMicroBatch) {
  const Row turned = {forward_of(0, 0), forward_of(0, 1), backward_of(0, 1),
                      backward_of(0, 0)};
  EXPECT_EQ(gpipe_row(0, 2), turned) << row_in_words(gpipe_row(0, 2));
}

TEST(MicroBatchesNeeded, IsThreeForHalfOfFour) {
  EXPECT_EQ(micro_batches_needed(4, 50), 3);
}

}  // namespace
}  // namespace pipeline

// mistake: counts what is in a row, but never asks when it comes
// fails: Catches.BackwardInTheWrongOrder
// says: Your tests pass, although this is wrong
// points: 1
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(GPipeRow, HoldsEachForwardAndEachBackwardOnce) {
  constexpr std::int32_t kMicroBatches = 5;
  const Row row = gpipe_row(1, kMicroBatches);
  for (std::int32_t k = 0; k < kMicroBatches; ++k) {
    EXPECT_EQ(std::count(row.begin(), row.end(), forward_of(1, k)), 1) << k;
    EXPECT_EQ(std::count(row.begin(), row.end(), backward_of(1, k)), 1) << k;
  }
}

}  // namespace
}  // namespace pipeline

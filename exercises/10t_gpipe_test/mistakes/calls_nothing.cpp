// mistake: calls no function
// fails: Accepts.TheSolution
// says: Your tests call none of the functions
// points: 0
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(MicroBatchesNeeded, IsThreeForHalfOfFour) {
  const std::int32_t devices = 4;
  const std::int32_t micro_batches = 3;
  EXPECT_EQ(100 * (devices - 1), 50 * (micro_batches + devices - 1));
}

}  // namespace
}  // namespace pipeline

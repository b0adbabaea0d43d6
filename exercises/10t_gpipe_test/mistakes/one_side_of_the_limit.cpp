// mistake: asks whether the answer is enough, but not whether it is the fewest
// fails: Catches.BubbleOverIdeal
// says: Your tests pass, although this is wrong
// points: 0
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(MicroBatchesNeeded, KeepTheBubbleSmall) {
  for (const std::int32_t devices : {2, 4, 7}) {
    const std::int32_t columns = micro_batches_needed(devices, 50) + devices - 1;
    EXPECT_LE(100 * (devices - 1), 50 * columns) << devices;
  }
}

}  // namespace
}  // namespace pipeline

// mistake: the idle overhead (p-1)/m instead of the idle fraction
// fails: MicroBatchesNeeded.AreTheFewestThatKeepTheBubbleSmall
// says: is the fewest for which at most
// points: 9
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t micro_batches_needed(std::int32_t devices, std::int32_t percent) {
  const std::int32_t idle = devices - 1;
  const std::int32_t least = (idle * 100 + percent - 1) / percent;
  return std::max(least, 1);
}

}  // namespace pipeline

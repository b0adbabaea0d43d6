// mistake: counts the activation of a chunk as a whole micro-batch
// fails: PeakBound.IsTheLifespansOverThePeriodRoundedUp
// says: V-Min on 1 devices needs 1, and you say 2
// points: 13
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t peak_bound(const std::vector<DeviceBlock>& blocks) {
  std::int32_t bound = 0;
  for (const DeviceBlock& block : blocks) {
    bound = std::max(bound, (held_ticks(block) + kTicksBetween - 1) / kTicksBetween);
  }
  return bound;
}

}  // namespace pipeline

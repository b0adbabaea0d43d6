// mistake: rounds down, as if a started micro-batch held nothing
// fails: PeakBound.IsTheLifespansOverThePeriodRoundedUp
// says: V-Min on 1 devices needs 1, and you say 0
// points: 13
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t peak_bound(const std::vector<DeviceBlock>& blocks) {
  std::int32_t bound = 0;
  for (const DeviceBlock& block : blocks) {
    bound = std::max(bound, held_ticks(block) / (2 * kTicksBetween));
  }
  return bound;
}

}  // namespace pipeline

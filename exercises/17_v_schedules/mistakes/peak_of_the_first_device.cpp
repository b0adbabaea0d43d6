// mistake: looks at the first device only
// fails: PeakBound.IsThatOfTheWorstDevice
// says: You say 1. A pipeline needs what its worst device needs
// points: 13
#include "exercise.hpp"

namespace pipeline {

std::int32_t peak_bound(const std::vector<DeviceBlock>& blocks) {
  constexpr std::int32_t kWhole = 2 * kTicksBetween;
  return (held_ticks(blocks.front()) + kWhole - 1) / kWhole;
}

}  // namespace pipeline

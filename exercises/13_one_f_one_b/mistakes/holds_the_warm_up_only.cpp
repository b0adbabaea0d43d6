// mistake: forgets the forward of the first pair
// fails: MostInFlight.IsWhatTheRowHolds
// says: the warm-up and one more
// points: 11
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t most_in_flight(std::int32_t stage, std::int32_t devices,
                            std::int32_t micro_batches) {
  return std::min(devices - 1 - stage, micro_batches);
}

}  // namespace pipeline

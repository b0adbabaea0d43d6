// mistake: the idle share instead of the busy one
// fails: Utilisation.IsTwoThirdsForThreeDevicesAndFourMicroBatches
// says: You say 0.333333. 3 devices have 6 ticks each
// points: 8
#include "exercise.hpp"

namespace pipeline {

double utilisation(std::int32_t devices, std::int32_t micro_batches) {
  return (devices - 1.0) / static_cast<double>(tick_count(devices, micro_batches));
}

}  // namespace pipeline

// mistake: divides by one device's work, so that nothing is ever idle
// fails: Utilisation.IsTwoThirdsForThreeDevicesAndFourMicroBatches
// says: You say 1. 3 devices have 6 ticks each
// points: 8
#include "exercise.hpp"

namespace pipeline {

double utilisation(std::int32_t devices, std::int32_t micro_batches) {
  return static_cast<double>(micro_batches) * devices /
         (static_cast<double>(micro_batches) * devices);
}

}  // namespace pipeline

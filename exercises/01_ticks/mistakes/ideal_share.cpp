// mistake: divides by one device's work, so that nothing is ever idle
// fails: Utilisation.IsTwoThirdsForThreeDevicesAndFourMicroBatches
// says: each works in 4 of its 6
// points: 8
#include "exercise.hpp"

namespace pipeline {

double utilisation(std::int32_t devices, std::int32_t micro_batches) {
  return static_cast<double>(micro_batches) * devices /
         (static_cast<double>(micro_batches) * devices);
}

}  // namespace pipeline

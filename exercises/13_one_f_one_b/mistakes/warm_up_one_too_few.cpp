// mistake: one forward too few in the warm-up
// fails: OneFOneBRow.TakesNotATickMoreThanItMust
// says: a device with a shorter warm-up waits for gradients
// points: 5
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t warm_up(std::int32_t stage, std::int32_t devices,
                     std::int32_t micro_batches) {
  return std::min(std::max(devices - 2 - stage, 0), micro_batches);
}

}  // namespace pipeline

// mistake: no cap on the warm-up: wrong when m < p
// fails: WarmUp.NeverBeginsMoreThanThereAre
// says: more than there are
// points: 3
#include "exercise.hpp"

namespace pipeline {

std::int32_t warm_up(std::int32_t stage, std::int32_t devices,
                     std::int32_t micro_batches) {
  return devices - 1 - stage;
}

}  // namespace pipeline

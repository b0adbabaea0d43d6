// mistake: no cap on the warm-up: wrong when m < p
// fails: WarmUp.IsThereAndBackAndTheOtherChunks
// says: more than there are
// points: 11
#include "exercise.hpp"

namespace pipeline {

std::int32_t warm_up(std::int32_t device, std::int32_t devices, std::int32_t chunks,
                     std::int32_t /*micro_batches*/, std::int32_t group_size) {
  return 2 * (devices - 1 - device) + (chunks - 1) * group_size;
}

}  // namespace pipeline

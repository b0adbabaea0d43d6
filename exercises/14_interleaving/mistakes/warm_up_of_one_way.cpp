// mistake: one forward for each device behind, as in 1F1B: there and not back
// fails: WarmUp.IsThereAndBackAndTheOtherChunks
// says: two forwards for each device behind it
// points: 9
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t warm_up(std::int32_t device, std::int32_t devices, std::int32_t chunks,
                     std::int32_t micro_batches, std::int32_t group_size) {
  return std::min(devices - 1 - device + (chunks - 1) * group_size,
                  chunks * micro_batches);
}

}  // namespace pipeline

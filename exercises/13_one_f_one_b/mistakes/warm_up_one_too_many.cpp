// mistake: one forward too many in the warm-up
// fails: OneFOneBRow.HoldsNoMoreMicroBatchesThanStagesFromHereToTheEnd
// says: micro-batches at once, where 1F1B holds
// points: 9
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t warm_up(std::int32_t stage, std::int32_t devices,
                     std::int32_t micro_batches) {
  return std::min(devices - stage, micro_batches);
}

}  // namespace pipeline

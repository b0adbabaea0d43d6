// mistake: as late as ever, also when the warm-up has taken all forwards
// fails: Plans.NeverTakeMoreMicroBatchesThanThereAre
// says: for a forward in its place
// points: 14
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

ZeroBubblePlan h2_plan(std::int32_t stage, std::int32_t devices,
                       std::int32_t micro_batches) {
  return {std::min(2 * (devices - stage) - 1, micro_batches),
          std::min(2 * stage, micro_batches)};
}

}  // namespace pipeline

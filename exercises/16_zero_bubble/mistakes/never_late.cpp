// mistake: ZB-H1 with every W right after its I: 1F1B under another name
// fails: Plans.FillTheSameMemoryOnEveryStage
// says: late weight gradients fill
// points: 13
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

ZeroBubblePlan h1_plan(std::int32_t stage, std::int32_t devices,
                       std::int32_t micro_batches) {
  return {std::min(devices - stage, micro_batches), 0};
}

}  // namespace pipeline

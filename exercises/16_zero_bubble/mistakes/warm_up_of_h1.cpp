// mistake: ZB-H2 warms up like ZB-H1 and is only later
// fails: ZeroBubbleRow.HasTheBubbleOfItsClosedForm
// says: no device of ZB-H2 takes longer
// points: 15
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

ZeroBubblePlan h2_plan(std::int32_t stage, std::int32_t devices,
                       std::int32_t micro_batches) {
  const std::int32_t limit = std::min(2 * devices - 1, micro_batches);
  const std::int32_t warm_up = std::min(devices - stage, micro_batches);
  return {warm_up, limit - warm_up};
}

}  // namespace pipeline

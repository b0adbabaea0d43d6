// mistake: a third more time: as if each re-computation waited for the gradient
// fails: StepTicks.AreLessThanAThirdMore
// says: the step takes 7 ticks, and you say 8: only the last device
// points: 13
#include "exercise.hpp"

namespace pipeline {

std::int32_t step_ticks(std::int32_t devices, std::int32_t micro_batches) {
  return (micro_batches + devices - 1) * (1 + 1 + 2);
}

}  // namespace pipeline

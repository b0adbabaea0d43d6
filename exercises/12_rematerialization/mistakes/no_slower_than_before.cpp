// mistake: all re-computations are thought to fit into the bubble
// fails: StepTicks.AreLessThanAThirdMore
// says: the step takes 4 ticks, and you say 3: only the last device
// points: 13
#include "exercise.hpp"

namespace pipeline {

std::int32_t step_ticks(std::int32_t devices, std::int32_t micro_batches) {
  return (micro_batches + devices - 1) * 3;
}

}  // namespace pipeline

// mistake: the bubble of a pipeline with one way, over all devices
// fails: DualPipeBubble.IsThatOfHalfTheDevices
// says: Each way has p/2-1 devices to fill
// points: 14
#include "exercise.hpp"

namespace pipeline {

double dualpipe_bubble(std::int32_t devices, const StageCosts& costs) {
  return (devices - 1) *
         (costs.overlapped + costs.backward() - 3 * costs.weight_gradient);
}

}  // namespace pipeline

// mistake: the bubble of a pipeline with one way, over all devices
// fails: DualPipeBubble.IsThatOfHalfTheDevices
// says: a device in the middle idles for 0, you say 2
// points: 14
#include "exercise.hpp"

namespace pipeline {

double dualpipe_bubble(std::int32_t devices, const StageCosts& costs) {
  return (devices - 1) *
         (costs.overlapped + costs.backward() - 3 * costs.weight_gradient);
}

}  // namespace pipeline

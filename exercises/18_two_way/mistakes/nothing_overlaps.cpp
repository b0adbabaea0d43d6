// mistake: a pair as long as its two halves one after the other
// fails: DualPipeBubble.IsThatOfHalfTheDevices
// says: a device in the middle idles for 1.5, you say 2
// points: 14
#include "exercise.hpp"

namespace pipeline {

double dualpipe_bubble(std::int32_t devices, const StageCosts& costs) {
  return (devices / 2 - 1) *
         (costs.forward + 2 * costs.backward() - 3 * costs.weight_gradient);
}

}  // namespace pipeline

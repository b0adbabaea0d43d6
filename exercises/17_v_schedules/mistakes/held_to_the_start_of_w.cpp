// mistake: counts to the start of the weight gradient instead of its end
// fails: HeldTicks.ReachFromTheForwardToTheEndOfTheWeightGradient
// says: to the end of its W
// points: 13
#include "exercise.hpp"

namespace pipeline {

std::int32_t held_ticks(const DeviceBlock& block) {
  return block.weight_gradient0 - block.forward0 + block.weight_gradient1 -
         block.forward1;
}

}  // namespace pipeline

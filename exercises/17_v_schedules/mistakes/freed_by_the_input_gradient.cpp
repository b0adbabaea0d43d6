// mistake: takes the input gradient to free the activation
// fails: HeldTicks.ReachFromTheForwardToTheEndOfTheWeightGradient
// says: from the start of its F to the end of its W
// points: 11
#include "exercise.hpp"

namespace pipeline {

std::int32_t held_ticks(const DeviceBlock& block) {
  return block.input_gradient0 + 1 - block.forward0 + block.input_gradient1 + 1 -
         block.forward1;
}

}  // namespace pipeline

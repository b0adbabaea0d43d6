// mistake: a barrier between the steps is taken to cost nothing
// fails: StepsOfH2.InterlockUnlessThereIsABarrier
// says: with a barrier every step begins anew
// points: 15
#include "exercise.hpp"

namespace pipeline {

std::int32_t steps_of_h2(std::int32_t steps, std::int32_t devices,
                         std::int32_t micro_batches, bool /*barrier*/) {
  return steps * 3 * micro_batches + devices - 1;
}

}  // namespace pipeline

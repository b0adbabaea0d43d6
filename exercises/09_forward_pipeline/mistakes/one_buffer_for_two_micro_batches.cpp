// mistake: one buffer for two micro-batches
// fails: Slots.KeepMicroBatchesInFlightApart
// says: the second would overwrite the first
// points: 8
#include "exercise.hpp"

namespace pipeline {

std::int32_t slot_of(std::int32_t micro_batch, std::int32_t slots) {
  return 0 * micro_batch * slots;
}

}  // namespace pipeline

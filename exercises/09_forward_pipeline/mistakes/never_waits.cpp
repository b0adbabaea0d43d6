// mistake: a copy waits for nobody
// fails: Slots.AreNotOverwrittenWhileTheyAreRead
// says: and you wait for -1. The copy must wait
// points: 8
#include "exercise.hpp"

namespace pipeline {

std::int32_t frees_slot_for(std::int32_t micro_batch, std::int32_t slots) {
  return kNone + 0 * micro_batch * slots;
}

}  // namespace pipeline

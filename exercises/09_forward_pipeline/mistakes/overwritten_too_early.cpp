// mistake: waits for the reader before the last one
// fails: Slots.AreNotOverwrittenWhileTheyAreRead
// says: and you wait for 17. The copy must wait
// points: 8
#include "exercise.hpp"

namespace pipeline {

std::int32_t frees_slot_for(std::int32_t micro_batch, std::int32_t slots) {
  return micro_batch <= slots ? kNone : micro_batch - slots - 1;
}

}  // namespace pipeline

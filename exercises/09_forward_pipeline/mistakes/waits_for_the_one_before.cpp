// mistake: a copy waits for the forward just before: nothing overlaps
// fails: Slots.LetCopyingOverlapWithComputing
// says: a copy waits for longer than it must
// points: 10
#include "exercise.hpp"

namespace pipeline {

std::int32_t frees_slot_for(std::int32_t micro_batch, std::int32_t slots) {
  return micro_batch < slots ? kNone : micro_batch - 1;
}

}  // namespace pipeline

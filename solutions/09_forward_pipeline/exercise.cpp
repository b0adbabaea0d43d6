// Exercise 09: forward pipeline. The task is in
// exercises/09_forward_pipeline/README.md.
#include "exercise.hpp"

namespace pipeline {

std::int32_t receives_from(std::int32_t stage) {
  // <solution>
  return stage == 0 ? kNone : stage - 1;
  //~ // Your turn: a pipeline is a line and not a ring.
  //~ return kNone;
  // </solution>
}

std::int32_t sends_to(std::int32_t stage, std::int32_t stages) {
  // <solution>
  return stage == stages - 1 ? kNone : stage + 1;
  //~ // Your turn: and where does the line end?
  //~ return kNone;
  // </solution>
}

Row forward_row(std::int32_t stage, std::int32_t stages, std::int32_t micro_batches) {
  Row row;
  // <solution>
  // Each activation is sent as soon as it is there: holding it back would make the next
  // device wait.
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    if (receives_from(stage) != kNone) row.push_back(receive_of(stage, k));
    row.push_back(forward_of(stage, k));
    if (sends_to(stage, stages) != kNone) row.push_back(send_of(stage, k));
  }
  //~ // Your turn: receive, compute, send. Which stages leave one of them out?
  // </solution>
  return row;
}

std::int32_t slot_of(std::int32_t micro_batch, std::int32_t slots) {
  // <solution>
  // Round and round: the micro-batches in flight are always the next few, and so no two
  // of them meet in one slot.
  return micro_batch % slots;
  //~ // Your turn: micro-batches that are in flight together must not share a slot.
  //~ return 0;
  // </solution>
}

std::int32_t frees_slot_for(std::int32_t micro_batch, std::int32_t slots) {
  // <solution>
  // The one that had the slot before, one round ago. Waiting for a later one would be
  // safe too, but then copying would no longer overlap with computing.
  return micro_batch < slots ? kNone : micro_batch - slots;
  //~ // Your turn: who read from this slot last?
  //~ return kNone;
  // </solution>
}

}  // namespace pipeline

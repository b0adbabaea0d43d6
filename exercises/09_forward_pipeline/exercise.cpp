// Exercise 09: forward pipeline. The task is in
// exercises/09_forward_pipeline/README.md.
#include "exercise.hpp"

namespace pipeline {

std::int32_t receives_from(std::int32_t stage) {
  // Your turn: a pipeline is a line and not a ring.
  return kNone;
}

std::int32_t sends_to(std::int32_t stage, std::int32_t stages) {
  // Your turn: and where does the line end?
  return kNone;
}

Row forward_row(std::int32_t stage, std::int32_t stages, std::int32_t micro_batches) {
  Row row;
  // Your turn: receive, compute, send. Which stages leave one of them out?
  return row;
}

std::int32_t slot_of(std::int32_t micro_batch, std::int32_t slots) {
  // Your turn: micro-batches that are in flight together must not share a slot.
  return 0;
}

std::int32_t frees_slot_for(std::int32_t micro_batch, std::int32_t slots) {
  // Your turn: who read from this slot last?
  return kNone;
}

}  // namespace pipeline

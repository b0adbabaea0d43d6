// mistake: each backward right after its forward: no pipeline
// fails: GPipeRow.RunsAllForwardsBeforeTheFirstBackward
// says: GPipe runs its last forward before its first backward
// points: 8
#include "exercise.hpp"

namespace pipeline {

Row gpipe_row(std::int32_t stage, std::int32_t micro_batches) {
  Row row;
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    row.push_back(forward_of(stage, k));
    row.push_back(backward_of(stage, k));
  }
  return row;
}

}  // namespace pipeline

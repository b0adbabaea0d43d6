// mistake: the last micro-batch gets no backward
// fails: GPipeRow.RunsEveryForwardAndEveryBackwardOnce
// says: each once
// points: 6
#include "exercise.hpp"

namespace pipeline {

Row gpipe_row(std::int32_t stage, std::int32_t micro_batches) {
  Row row;
  for (std::int32_t k = 0; k < micro_batches; ++k) row.push_back(forward_of(stage, k));
  for (std::int32_t k = 0; k < micro_batches - 1; ++k)
    row.push_back(backward_of(stage, k));
  return row;
}

}  // namespace pipeline

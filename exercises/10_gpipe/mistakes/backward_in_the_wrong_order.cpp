// mistake: backwards from the last micro-batch to the first
// fails: GPipeRow.RunsTheBackwardsInTheOrderOfTheMicroBatches
// says: gradients must add up in the order of the micro-batches
// points: 9
#include "exercise.hpp"

namespace pipeline {

Row gpipe_row(std::int32_t stage, std::int32_t micro_batches) {
  Row row;
  for (std::int32_t k = 0; k < micro_batches; ++k) row.push_back(forward_of(stage, k));
  for (std::int32_t k = micro_batches - 1; k >= 0; --k)
    row.push_back(backward_of(stage, k));
  return row;
}

}  // namespace pipeline

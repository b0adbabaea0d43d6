// mistake: all left-over rows go to the last micro-batch
// fails: MicroBatchRows.DifferByOneAtMostTheLongerOnesFirst
// says: so that none takes longer than another by more than a row
#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> micro_batch_rows(std::int32_t rows,
                                           std::int32_t micro_batches) {
  std::vector<std::int32_t> parts;
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    parts.push_back(rows / micro_batches);
  }
  parts.back() += rows % micro_batches;
  return parts;
}

}  // namespace pipeline

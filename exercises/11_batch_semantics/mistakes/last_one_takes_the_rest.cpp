// mistake: all left-over rows go to the last micro-batch
// fails: MicroBatchRows.DifferByOneAtMostTheLongerOnesFirst
// says: so that none takes longer than another by more than a row
// points: 14
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> micro_batch_rows(std::int32_t rows,
                                           std::int32_t micro_batches) {
  std::vector<std::int32_t> parts(static_cast<std::size_t>(micro_batches),
                                  rows / micro_batches);
  parts.back() += rows % micro_batches;
  return parts;
}

}  // namespace pipeline

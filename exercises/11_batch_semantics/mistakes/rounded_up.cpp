// mistake: the rows of each micro-batch rounded up, as far as they go
// fails: MicroBatchRows.HoldAllRowsOnce
// says: there must be as many as were asked for
// points: 13
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> micro_batch_rows(std::int32_t rows,
                                           std::int32_t micro_batches) {
  std::vector<std::int32_t> parts;
  const std::int32_t each = (rows + micro_batches - 1) / micro_batches;
  for (std::int32_t left = rows; left > 0; left -= each) {
    parts.push_back(std::min(each, left));
  }
  return parts;
}

}  // namespace pipeline

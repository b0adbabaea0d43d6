// mistake: the micro-batches go back in reverse as well
// fails: TokenSliceRow.TakesTheMicroBatchesBackInOrder
// says: only inside one are the slices reversed
// points: 13
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

Row token_slice_row(std::int32_t stage, const std::vector<std::int32_t>& slices) {
  Row row;
  const auto micro_batches = static_cast<std::int32_t>(slices.size());
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    for (std::int32_t j = 0; j < slices[static_cast<std::size_t>(k)]; ++j) {
      row.push_back(forward_of_slice(stage, k, j));
    }
  }
  for (std::int32_t k = micro_batches - 1; k >= 0; --k) {
    for (std::int32_t j = slices[static_cast<std::size_t>(k)] - 1; j >= 0; --j) {
      row.push_back(backward_of_slice(stage, k, j));
    }
  }
  return row;
}

}  // namespace pipeline

// mistake: cuts every micro-batch like the first one
// fails: TokenSliceRow.RunsEverySliceOnceForwardAndBackward
// says: each of which runs once forward
// points: 12
#include "exercise.hpp"

namespace pipeline {

Row token_slice_row(std::int32_t stage, const std::vector<std::int32_t>& slices) {
  Row row;
  const auto micro_batches = static_cast<std::int32_t>(slices.size());
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    for (std::int32_t j = 0; j < slices.front(); ++j) {
      row.push_back(forward_of_slice(stage, k, j));
    }
  }
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    for (std::int32_t j = slices.front() - 1; j >= 0; --j) {
      row.push_back(backward_of_slice(stage, k, j));
    }
  }
  return row;
}

}  // namespace pipeline

// mistake: all forwards first, then all backwards: holds everything
// fails: InterleavedRow.HoldsNoMoreThanTheWarmUpAndOne
// says: activations of a stage at once, where it should hold
// points: 12
#include "exercise.hpp"

namespace pipeline {

Row interleaved_row(std::int32_t device, std::int32_t devices, std::int32_t chunks,
                    std::int32_t micro_batches) {
  Row row;
  for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::int32_t k = 0; k < micro_batches; ++k) {
      row.push_back(forward_of(stage_of(device, chunk, devices), k));
    }
  }
  for (std::int32_t chunk = chunks - 1; chunk >= 0; --chunk) {
    for (std::int32_t k = 0; k < micro_batches; ++k) {
      row.push_back(backward_of(stage_of(device, chunk, devices), k));
    }
  }
  return row;
}

}  // namespace pipeline

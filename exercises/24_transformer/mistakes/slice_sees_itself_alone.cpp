// mistake: a slice is masked as if it were a sequence of its own
// fails: SliceMask.ShowsAPositionItselfAndAllBeforeItInAllSlices
// says: of the sequence
// points: 20
#include "exercise.hpp"

namespace pipeline {

std::vector<std::vector<bool>> slice_mask(std::int32_t first, std::int32_t positions) {
  std::vector<std::vector<bool>> mask;
  for (std::int32_t row = 0; row < positions; ++row) {
    mask.emplace_back(static_cast<std::size_t>(first + positions));
    for (std::int32_t key = first; key <= first + row; ++key) {
      mask.back()[static_cast<std::size_t>(key)] = true;
    }
  }
  return mask;
}

}  // namespace pipeline

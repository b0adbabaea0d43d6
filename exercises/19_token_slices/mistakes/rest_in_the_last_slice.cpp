// mistake: the whole rest goes to the last slice
// fails: EqualSlices.HoldEveryTokenAndDifferByOneAtMost
// says: The longer ones come first
// points: 13
#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> equal_slices(std::int32_t tokens, std::int32_t slices) {
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(slices), tokens / slices);
  lengths.back() += tokens % slices;
  return lengths;
}

}  // namespace pipeline

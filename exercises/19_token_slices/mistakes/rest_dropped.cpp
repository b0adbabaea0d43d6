// mistake: the tokens that the division leaves are dropped
// fails: EqualSlices.HoldEveryTokenAndDifferByOneAtMost
// says: No token may be left over
// points: 13
#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> equal_slices(std::int32_t tokens, std::int32_t slices) {
  return std::vector<std::int32_t>(static_cast<std::size_t>(slices), tokens / slices);
}

}  // namespace pipeline

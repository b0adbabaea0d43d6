// mistake: only direct waits order anything
// fails: Unordered.FollowWaitsOverSeveralSteps
// says: the first runs before the third
// points: 14
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::vector<Pair> unordered(const std::vector<Operation>& operations,
                            const std::vector<Pair>& waits) {
  std::vector<Pair> pairs;
  for (std::size_t j = 0; j < operations.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const Pair pair = {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)};
      if (operations[i].stream != operations[j].stream &&
          std::count(waits.begin(), waits.end(), pair) == 0 &&
          must_stay_in_order(operations[i], operations[j])) {
        pairs.push_back(pair);
      }
    }
  }
  return pairs;
}

}  // namespace pipeline

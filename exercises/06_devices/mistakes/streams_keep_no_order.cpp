// mistake: operations of one stream count as unordered
// fails: Unordered.AreAllConflictsBetweenStreamsWithoutWaits
// says: A stream keeps its own in order
// points: 13
#include "exercise.hpp"

namespace pipeline {

std::vector<Pair> unordered(const std::vector<Operation>& operations,
                            const std::vector<Pair>& waits) {
  std::vector<Pair> pairs;
  for (std::size_t j = 0; j < operations.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (must_stay_in_order(operations[i], operations[j])) {
        pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
      }
    }
  }
  return pairs;
}

}  // namespace pipeline

// mistake: the last stage takes all that is left over
// fails: EvenCounts.DifferByOneAtMost
// says: 30 layers on 4 stages are 8, 8, 7 and 7
// points: 11
#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> even_counts(std::int32_t layers, std::int32_t stages) {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(stages), layers / stages);
  counts.back() += layers % stages;
  return counts;
}

}  // namespace pipeline

// mistake: cuts wherever the mean is passed, and leaves stages without a layer
// fails: BalancedCounts.HoldEveryLayerOnce
// says: Each stage needs a layer at least
// points: 8
#include <algorithm>
#include <cmath>
#include <numeric>

#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> balanced_counts(const std::vector<double>& times,
                                          std::int32_t stages) {
  const double all = std::accumulate(times.begin(), times.end(), 0.0);
  std::vector<std::int32_t> counts(static_cast<std::size_t>(stages), 0);
  double before = 0;
  for (const double time : times) {
    const auto stage = static_cast<std::int32_t>(std::floor(before / all * stages));
    ++counts[static_cast<std::size_t>(std::min(stage, stages - 1))];
    before += time;
  }
  return counts;
}

}  // namespace pipeline

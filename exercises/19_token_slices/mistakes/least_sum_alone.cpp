// mistake: makes the sum least and forgets the longest
// fails: BestSlices.TakeTheLeastTimeOfAllThereAre
// says: your slices of 2 take 14.625 ticks
// points: 11
#include <cstddef>
#include <limits>

#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> best_slices(const std::vector<std::vector<double>>& time,
                                      std::int32_t /*devices*/) {
  const std::size_t tokens = time.size();
  std::vector<double> sum(tokens + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> last(tokens + 1, 0);
  sum[0] = 0;
  for (std::size_t end = 1; end <= tokens; ++end) {
    for (std::size_t length = 1; length <= end; ++length) {
      const double own = time[end - length][length - 1];
      if (sum[end - length] + own >= sum[end]) continue;
      sum[end] = sum[end - length] + own;
      last[end] = length;
    }
  }
  std::vector<std::int32_t> lengths;
  for (std::size_t end = tokens; end > 0; end -= last[end]) {
    lengths.insert(lengths.begin(), static_cast<std::int32_t>(last[end]));
  }
  return lengths;
}

}  // namespace pipeline

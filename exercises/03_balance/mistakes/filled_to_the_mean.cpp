// mistake: each stage is filled up to the mean, and the last one gets the rest
// fails: BalancedCounts.MakeTheSlowestStageAsFastAsCanBe
// says: your split 1, 4 makes stages that take 1, 12
// points: 9
#include <numeric>

#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> balanced_counts(const std::vector<double>& times,
                                          std::int32_t stages) {
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / stages;
  const auto layers = static_cast<std::int32_t>(times.size());
  std::vector<std::int32_t> counts;
  std::int32_t next = 0;
  for (std::int32_t s = 0; s < stages; ++s) {
    const std::int32_t most = layers - next - (stages - 1 - s);  // a layer for the rest
    std::int32_t count = 0;
    double sum = 0;
    while (count < most && (count == 0 || s + 1 == stages ||
                            sum + times[static_cast<std::size_t>(next)] <= mean)) {
      sum += times[static_cast<std::size_t>(next++)];
      ++count;
    }
    counts.push_back(count);
  }
  return counts;
}

}  // namespace pipeline

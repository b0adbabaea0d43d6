// mistake: tries slices of equal length alone
// fails: BestSlices.TakeTheLeastTimeOfAllThereAre
// says: your slices of 3, 3, 2 take 32.625 ticks
// points: 11
#include <cstddef>
#include <limits>

#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> best_slices(const std::vector<std::vector<double>>& time,
                                      std::int32_t devices) {
  const auto tokens = static_cast<std::int32_t>(time.size());
  std::vector<std::int32_t> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::int32_t count = 1; count <= tokens; ++count) {
    const std::vector<std::int32_t> lengths = equal_slices(tokens, count);
    std::vector<double> parts;
    std::size_t before = 0;
    for (const std::int32_t length : lengths) {
      parts.push_back(time[before][static_cast<std::size_t>(length) - 1]);
      before += static_cast<std::size_t>(length);
    }
    const double total = pipeline_time(parts, devices);
    if (total >= least) continue;
    least = total;
    best = lengths;
  }
  return best;
}

}  // namespace pipeline

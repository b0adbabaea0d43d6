// mistake: the mean of the stages instead of the slowest one
// fails: SlowestStage.IsTheLargestSum
// says: all of them wait for the slowest
// points: 11
#include <numeric>

#include "exercise.hpp"

namespace pipeline {

double slowest_stage(const std::vector<double>& times,
                     const std::vector<std::int32_t>& counts) {
  return std::accumulate(times.begin(), times.end(), 0.0) /
         static_cast<double>(counts.size());
}

}  // namespace pipeline

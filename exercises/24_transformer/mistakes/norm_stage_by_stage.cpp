// mistake: each stage adds up its own squares first, and p is in the last bits
// fails: ClipFactor.HasTheSameBitsForEveryNumberOfStages
// says: Add up in model order, not stage by stage
// points: 20
#include <cmath>
#include <numeric>

#include "exercise.hpp"

namespace pipeline {

double clip_factor(const std::vector<std::vector<double>>& squares, double limit) {
  double sum = 0;
  for (const std::vector<double>& stage : squares) {
    sum += std::accumulate(stage.begin(), stage.end(), 0.0);
  }
  const double norm = std::sqrt(sum);
  return norm > limit ? limit / norm : 1;
}

}  // namespace pipeline

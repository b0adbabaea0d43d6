// mistake: with many tokens items leave as close together as one likes
// fails: SecondsApart.AreNoLessThanTheSlowestStage
// says: more than enough, an item leaves every
// points: 16
#include <numeric>

#include "exercise.hpp"

namespace pipeline {

double seconds_apart(const std::vector<double>& stage_seconds, std::int32_t tokens) {
  return std::accumulate(stage_seconds.begin(), stage_seconds.end(), 0.0) / tokens;
}

}  // namespace pipeline

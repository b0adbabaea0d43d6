// mistake: part of a token is left out
// fails: TokensNeeded.AreTheFewestThatKeepTheSlowestStageBusy
// says: an item leaves every 2 s with 3 tokens, and no number of them makes that less
// points: 16
#include <algorithm>
#include <numeric>

#include "exercise.hpp"

namespace pipeline {

std::int32_t tokens_needed(const std::vector<double>& stage_seconds) {
  const double slowest = *std::max_element(stage_seconds.begin(), stage_seconds.end());
  const double away = std::accumulate(stage_seconds.begin(), stage_seconds.end(), 0.0);
  return static_cast<std::int32_t>(away / slowest);
}

}  // namespace pipeline

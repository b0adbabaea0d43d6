// mistake: as many tokens as stages, also where one stage is much the slowest
// fails: TokensNeeded.AreTheFewestThatKeepTheSlowestStageBusy
// says: an item leaves every 8 s with 2 tokens, and no number of them makes that less
// points: 16
#include "exercise.hpp"

namespace pipeline {

std::int32_t tokens_needed(const std::vector<double>& stage_seconds) {
  return static_cast<std::int32_t>(stage_seconds.size());
}

}  // namespace pipeline

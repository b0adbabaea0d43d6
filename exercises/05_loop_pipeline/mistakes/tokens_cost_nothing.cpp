// mistake: the slowest stage sets the pace with any number of tokens
// fails: SecondsApart.GrowWhereTokensAreFew
// says: A token comes back when its item has been through all stages
// points: 17
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

double seconds_apart(const std::vector<double>& stage_seconds, std::int32_t tokens) {
  return *std::max_element(stage_seconds.begin(), stage_seconds.end());
}

}  // namespace pipeline

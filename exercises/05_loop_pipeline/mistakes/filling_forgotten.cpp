// mistake: the first item costs no more than the others
// fails: LoopSeconds.AreThoseOfTheFirstItemAndAnIntervalForEachOther
// says: 1 items take 4.5 s. The first one needs all stages
// points: 16
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

double loop_seconds(const std::vector<double>& stage_seconds, std::int32_t items) {
  return items * *std::max_element(stage_seconds.begin(), stage_seconds.end());
}

}  // namespace pipeline

// mistake: the loop as it is written, nothing overlaps
// fails: LoopSeconds.AreThoseOfTheFirstItemAndAnIntervalForEachOther
// says: 2 items take 6.5 s. The first one needs all stages
// points: 16
#include <numeric>

#include "exercise.hpp"

namespace pipeline {

double loop_seconds(const std::vector<double>& stage_seconds, std::int32_t items) {
  return items * std::accumulate(stage_seconds.begin(), stage_seconds.end(), 0.0);
}

}  // namespace pipeline

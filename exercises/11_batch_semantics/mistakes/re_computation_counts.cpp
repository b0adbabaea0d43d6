// mistake: a re-computation moves the running mean a second time
// fails: RunningMean.IsNotMovedTwiceByReComputation
// says: A re-computation brings nothing new
// points: 14
#include "exercise.hpp"

namespace pipeline {

double running_mean(double running, const std::vector<Forward>& forwards) {
  for (const Forward& forward : forwards) running += 0.1 * (forward.mean - running);
  return running;
}

}  // namespace pipeline

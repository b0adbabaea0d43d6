// mistake: momentum as the share that stays, as in the optimizer
// fails: RunningMean.MovesATenthOfTheWayAtEveryMicroBatch
// says: Nine tenths stay, one tenth comes from the micro-batch
// points: 13
#include "exercise.hpp"

namespace pipeline {

double running_mean(double running, const std::vector<Forward>& forwards) {
  for (const Forward& forward : forwards) {
    if (!forward.again) running = 0.1 * running + 0.9 * forward.mean;
  }
  return running;
}

}  // namespace pipeline

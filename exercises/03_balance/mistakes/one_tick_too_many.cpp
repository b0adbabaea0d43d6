// mistake: a tick for every micro-batch, the first one too
// fails: StepTime.IsWhatTheSimulatedPipelineTakes
// says: how long after it is each of the others out
// points: 10
#include <algorithm>
#include <numeric>

#include "exercise.hpp"

namespace pipeline {

double step_time(const std::vector<double>& stage_times, std::int32_t micro_batches) {
  return std::accumulate(stage_times.begin(), stage_times.end(), 0.0) +
         micro_batches * *std::max_element(stage_times.begin(), stage_times.end());
}

}  // namespace pipeline

// mistake: a tick for every micro-batch, the first one too
// fails: StepTime.IsWhatTheSimulatedPipelineTakes
// says: the last one is out after 4. The first needs the sum of all stages
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

// mistake: m+p-1 ticks of the slowest stage, as if all stages were as slow
// fails: StepTime.IsWhatTheSimulatedPipelineTakes
// says: the last one is out after 10. The first needs the sum of all stages
// points: 10
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

double step_time(const std::vector<double>& stage_times, std::int32_t micro_batches) {
  const double tick = *std::max_element(stage_times.begin(), stage_times.end());
  return (micro_batches + static_cast<double>(stage_times.size()) - 1) * tick;
}

}  // namespace pipeline

// mistake: takes the last part for the longest
// fails: PipelineTime.IsWhenTheLastPartHasLeftTheLastDevice
// says: on 2 devices take 11 ticks, you say 8
// points: 8
#include "exercise.hpp"

namespace pipeline {

double pipeline_time(const std::vector<double>& part_times, std::int32_t devices) {
  double sum = 0;
  for (const double time : part_times) sum += time;
  return sum + (devices - 1) * part_times.back();
}

}  // namespace pipeline

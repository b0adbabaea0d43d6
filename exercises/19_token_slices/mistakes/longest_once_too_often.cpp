// mistake: the longest part is added for every device, the first too
// fails: PipelineTime.IsWhenTheLastPartHasLeftTheLastDevice
// says: on 1 devices take 3 ticks, you say 6
// points: 8
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

double pipeline_time(const std::vector<double>& part_times, std::int32_t devices) {
  double sum = 0;
  double longest = 0;
  for (const double time : part_times) {
    sum += time;
    longest = std::max(longest, time);
  }
  return sum + devices * longest;
}

}  // namespace pipeline

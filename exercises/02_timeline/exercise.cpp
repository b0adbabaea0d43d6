// Exercise 02: the times of a pipeline. The task is in exercises/02_timeline/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <cstddef>

namespace pipeline {

Starts start_times(const std::vector<double>& stage_time, std::int32_t micro_batches,
                   double transfer) {
  const std::size_t devices = stage_time.size();
  const auto count = static_cast<std::size_t>(micro_batches);
  Starts starts(devices, std::vector<double>(count, 0));
  // Your turn: what must have happened before device d can begin micro-batch k?
  return starts;
}

std::vector<Idle> idle_times(const Starts& starts,
                             const std::vector<double>& stage_time) {
  std::vector<Idle> idle(stage_time.size());
  // Your turn: when does the picture end, and what of it does device d not fill?
  return idle;
}

double latency(const Starts& starts, const std::vector<double>& stage_time,
               std::int32_t micro_batch) {
  // Your turn: from when to when is it inside?
  return 0;
}

double leaving_interval(const Starts& starts) {
  // Your turn: which device do they leave, and when?
  return 0;
}

}  // namespace pipeline

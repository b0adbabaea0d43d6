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
  // <solution>
  // A forward waits for two things: that its device has finished the micro-batch
  // before, and that its activation has come in. Both are to the left of it and above
  // it in the picture, so going row by row meets them in time.
  for (std::size_t d = 0; d < devices; ++d) {
    for (std::size_t k = 0; k < count; ++k) {
      const double free = k == 0 ? 0 : starts[d][k - 1] + stage_time[d];
      const double arrived =
          d == 0 ? 0 : starts[d - 1][k] + stage_time[d - 1] + transfer;
      starts[d][k] = std::max(free, arrived);
    }
  }
  //~ // Your turn: what must have happened before device d can begin micro-batch k?
  // </solution>
  return starts;
}

std::vector<Idle> idle_times(const Starts& starts,
                             const std::vector<double>& stage_time) {
  std::vector<Idle> idle(stage_time.size());
  // <solution>
  // The last device ends last: every micro-batch leaves through it.
  const double end = starts.back().back() + stage_time.back();
  for (std::size_t d = 0; d < idle.size(); ++d) {
    const double span = starts[d].back() + stage_time[d] - starts[d].front();
    const double busy = stage_time[d] * static_cast<double>(starts[d].size());
    idle[d].before = starts[d].front();
    idle[d].between = span - busy;
    idle[d].after = end - (starts[d].front() + span);
  }
  //~ // Your turn: when does the picture end, and what of it does device d not fill?
  // </solution>
  return idle;
}

double latency(const Starts& starts, const std::vector<double>& stage_time,
               std::int32_t micro_batch) {
  // <solution>
  const auto k = static_cast<std::size_t>(micro_batch);
  return starts.back()[k] + stage_time.back() - starts.front()[k];
  //~ // Your turn: from when to when is it inside?
  //~ return 0;
  // </solution>
}

double leaving_interval(const Starts& starts) {
  // <solution>
  // Both leave through the last device, and take as long there: their starts are as far
  // apart as their ends.
  const std::vector<double>& last = starts.back();
  return last[last.size() - 1] - last[last.size() - 2];
  //~ // Your turn: which device do they leave, and when?
  //~ return 0;
  // </solution>
}

}  // namespace pipeline

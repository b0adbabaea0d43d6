// mistake: the average over all micro-batches, with the filling in it
// fails: LeavingInterval.IsThePaceOfTheSlowestStage
// says: once the pipeline is full
#include <algorithm>
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

Starts start_times(const std::vector<double>& stage_time, std::int32_t micro_batches,
                   double transfer) {
  const std::size_t devices = stage_time.size();
  const auto count = static_cast<std::size_t>(micro_batches);
  Starts starts(devices, std::vector<double>(count, 0));
  for (std::size_t d = 0; d < devices; ++d) {
    for (std::size_t k = 0; k < count; ++k) {
      const double free = k == 0 ? 0 : starts[d][k - 1] + stage_time[d];
      const double arrived =
          d == 0 ? 0 : starts[d - 1][k] + stage_time[d - 1] + transfer;
      starts[d][k] = std::max(free, arrived);
    }
  }
  return starts;
}

std::vector<Idle> idle_times(const Starts& starts,
                             const std::vector<double>& stage_time) {
  std::vector<Idle> idle(stage_time.size());
  const double end = starts.back().back() + stage_time.back();
  for (std::size_t d = 0; d < idle.size(); ++d) {
    const double span = starts[d].back() + stage_time[d] - starts[d].front();
    const double busy = stage_time[d] * static_cast<double>(starts[d].size());
    idle[d].before = starts[d].front();
    idle[d].between = span - busy;
    idle[d].after = end - (starts[d].front() + span);
  }
  return idle;
}

double latency(const Starts& starts, const std::vector<double>& stage_time,
               std::int32_t micro_batch) {
  const auto k = static_cast<std::size_t>(micro_batch);
  return starts.back()[k] + stage_time.back() - starts.front()[k];
}

double leaving_interval(const Starts& starts) {
  const std::vector<double>& last = starts.back();
  return last.back() / static_cast<double>(last.size());
}

}  // namespace pipeline

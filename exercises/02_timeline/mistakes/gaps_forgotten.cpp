// mistake: a device is taken to be busy from its first forward to its last
// fails: IdleTimes.TellTheThreeBubblesApart
// says: wherever one begins later than the one before
// points: 11
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

std::vector<Idle> idle_times(const Starts& starts,
                             const std::vector<double>& stage_time) {
  std::vector<Idle> idle(stage_time.size());
  const double end = starts.back().back() + stage_time.back();
  for (std::size_t d = 0; d < idle.size(); ++d) {
    const double span = starts[d].back() + stage_time[d] - starts[d].front();
    idle[d].before = starts[d].front();
    idle[d].between = 0;
    idle[d].after = end - (starts[d].front() + span);
  }
  return idle;
}

}  // namespace pipeline

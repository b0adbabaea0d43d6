// mistake: the idle time after the last forward is forgotten
// fails: IdleTimes.FormTwoTrianglesWhenStagesAreEqual
// says: that is its closing corner
// points: 10
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

std::vector<Idle> idle_times(const Starts& starts,
                             const std::vector<double>& stage_time) {
  std::vector<Idle> idle(stage_time.size());
  const double end = starts.back().back() + stage_time.back();
  for (std::size_t d = 0; d < idle.size(); ++d) {
    const double span = starts[d].back() + stage_time[d] - starts[d].front();
    const double busy = stage_time[d] * static_cast<double>(starts[d].size());
    idle[d].before = starts[d].front();
    idle[d].between = span - busy;
    idle[d].after = 0 * end;
  }
  return idle;
}

}  // namespace pipeline

// mistake: a sender that waits loses nothing by it
// fails: IntervalOf.IsTheSumWhenTheSenderWaits
// says: one after the other
// points: 10
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

double interval_of(double stage_time, const SlowLine& line, double bytes,
                   bool /*overlapped*/) {
  return std::max(stage_time, bytes / line.bandwidth);
}

}  // namespace pipeline

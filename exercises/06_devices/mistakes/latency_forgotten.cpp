// mistake: a line through the origin, without a latency
// fails: LinkOf.FindsTheLinkOfExactCopies
// says: Copies that take exactly latency + bytes / bandwidth
// points: 15
#include "exercise.hpp"

namespace pipeline {

Link link_of(const std::vector<TimedCopy>& copies) {
  double y_sum = 0;
  double yy = 0;
  for (const TimedCopy& copy : copies) {
    const double y = copy.bytes / copy.seconds;
    y_sum += y;
    yy += y * y;
  }
  return {0, yy / y_sum};
}

}  // namespace pipeline

// mistake: least squares of the seconds, where the largest copies drown the others
// fails: LinkOf.CountsTheErrorOfEachCopyRelativeToItsTime
// says: those of 1 KiB count as much as those of 64 MiB
// points: 17
#include "exercise.hpp"

namespace pipeline {

Link link_of(const std::vector<TimedCopy>& copies) {
  double n = 0;
  double b = 0;
  double t = 0;
  double bb = 0;
  double bt = 0;
  for (const TimedCopy& copy : copies) {
    n += 1;
    b += copy.bytes;
    t += copy.seconds;
    bb += copy.bytes * copy.bytes;
    bt += copy.bytes * copy.seconds;
  }
  const double a_byte = (n * bt - b * t) / (n * bb - b * b);
  return {(t - b * a_byte) / n, 1 / a_byte};
}

}  // namespace pipeline

// mistake: a latency slows down every micro-batch, overlapped or not
// fails: IntervalOf.IsThatOfTheSlowestPlaceWhenTransfersOverlap
// says: bytes/s and 0.5 s latency: while a device computes, its message is under way
// points: 9
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

double interval_of(double stage_time, const SlowLine& line, double bytes,
                   bool overlapped) {
  const double message = message_time(line, bytes);
  return overlapped ? std::max(stage_time, message) : stage_time + message;
}

}  // namespace pipeline

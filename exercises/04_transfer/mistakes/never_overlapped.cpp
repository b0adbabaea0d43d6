// mistake: transfers are added to the stage, overlapped or not
// fails: IntervalOf.IsThatOfTheSlowestPlaceWhenTransfersOverlap
// says: The slower of the two sets the pace
// points: 9
#include "exercise.hpp"

namespace pipeline {

double interval_of(double stage_time, const SlowLine& line, double bytes,
                   bool /*overlapped*/) {
  return stage_time + message_time(line, bytes);
}

}  // namespace pipeline

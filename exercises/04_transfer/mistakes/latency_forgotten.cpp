// mistake: the latency is left out
// fails: MessageTime.IsThatOfItsBytesAndTheLatency
// says: s later
// points: 8
#include "exercise.hpp"

namespace pipeline {

double message_time(const SlowLine& line, double bytes) {
  return bytes / line.bandwidth;
}

}  // namespace pipeline

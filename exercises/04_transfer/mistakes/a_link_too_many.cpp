// mistake: a link behind every stage, the last one too
// fails: ForwardsTime.IsWhatThePipelineTakes
// says: every link between two of them
// points: 12
#include "exercise.hpp"

namespace pipeline {

double forwards_time(std::int32_t devices, std::int32_t micro_batches,
                     double stage_time, const SlowLine& line, double bytes,
                     bool overlapped) {
  const double pass = devices * (stage_time + message_time(line, bytes));
  return pass + (micro_batches - 1) * interval_of(stage_time, line, bytes, overlapped);
}

}  // namespace pipeline

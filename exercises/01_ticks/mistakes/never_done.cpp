// mistake: a device goes on after its last micro-batch
// fails: RunningAt.RunsEveryMicroBatchOnceOnEveryDevice
// says: A device that is done is idle
// points: 8
#include "exercise.hpp"

namespace pipeline {

std::int32_t running_at(std::int32_t device, std::int32_t /*micro_batches*/,
                        std::int32_t tick) {
  return tick > device ? tick - 1 - device : kIdle;
}

}  // namespace pipeline

// mistake: the last micro-batch is dropped
// fails: RunningAt.RunsEveryMicroBatchOnceOnEveryDevice
// says: must run micro-batch 3 in exactly one tick
// points: 8
#include "exercise.hpp"

namespace pipeline {

std::int32_t running_at(std::int32_t device, std::int32_t micro_batches,
                        std::int32_t tick) {
  const std::int32_t micro_batch = tick - 1 - device;
  return micro_batch >= 0 && micro_batch < micro_batches - 1 ? micro_batch : kIdle;
}

}  // namespace pipeline

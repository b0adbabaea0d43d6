// mistake: the wave begins one tick early: ticks are counted from 1
// fails: RunningAt.MovesTheWaveOneDeviceOnInEachTick
// says: device 0 in tick 1 should be micro-batch 0, not micro-batch 1
// points: 8
#include "exercise.hpp"

namespace pipeline {

std::int32_t running_at(std::int32_t device, std::int32_t micro_batches,
                        std::int32_t tick) {
  const std::int32_t micro_batch = tick - device;
  const bool exists = micro_batch >= 0 && micro_batch < micro_batches;
  return exists ? micro_batch : kIdle;
}

}  // namespace pipeline

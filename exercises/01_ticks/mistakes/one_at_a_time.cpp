// mistake: one micro-batch at a time: nothing overlaps
// fails: TickCount.IsWhatWalkingThroughThePipelineTakes
// says: Device 0 is busy for as many ticks as there are micro-batches
#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches) {
  return std::int64_t{micro_batches} * devices;
}

double utilisation(std::int32_t devices, std::int32_t micro_batches) {
  return static_cast<double>(micro_batches) / (micro_batches + devices - 1);
}

std::int32_t running_at(std::int32_t device, std::int32_t micro_batches,
                        std::int32_t tick) {
  const std::int32_t micro_batch = tick - 1 - device;
  const bool exists = micro_batch >= 0 && micro_batch < micro_batches;
  return exists ? micro_batch : kIdle;
}

}  // namespace pipeline

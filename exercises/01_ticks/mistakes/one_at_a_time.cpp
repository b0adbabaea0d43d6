// mistake: one micro-batch at a time: nothing overlaps
// fails: TickCount.IsWhatWalkingThroughThePipelineTakes
// says: Device 0 is busy for as many ticks as there are micro-batches
// points: 4
#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches) {
  return std::int64_t{micro_batches} * devices;
}

}  // namespace pipeline

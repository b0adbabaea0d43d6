// mistake: one micro-batch at a time: nothing overlaps
// fails: TickCount.IsSixForThreeDevicesAndFourMicroBatches
// says: You say 12. Draw it: micro-batch 3 enters device 0 in tick 4
// points: 4
#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches) {
  return std::int64_t{micro_batches} * devices;
}

}  // namespace pipeline

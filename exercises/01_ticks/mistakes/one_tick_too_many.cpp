// mistake: one tick too many: counts the devices and the micro-batches
// fails: TickCount.IsSixForThreeDevicesAndFourMicroBatches
// says: You say 7. Draw it: micro-batch 3 enters device 0 in tick 4
// points: 4
#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches) {
  return std::int64_t{micro_batches} + devices;
}

}  // namespace pipeline

// mistake: a device holds stages that follow one another: nothing is interleaved
// fails: StageOf.GoesOnceAroundAllDevicesBeforeTheNextChunk
// says: goes once around all devices
// points: 6
#include "exercise.hpp"

namespace pipeline {

std::int32_t stage_of(std::int32_t device, std::int32_t chunk,
                      std::int32_t /*devices*/) {
  return 2 * device + chunk;
}

}  // namespace pipeline

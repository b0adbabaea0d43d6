// mistake: the second copy lies on the devices like the first
// fails: StageOf.RunsDownTheDevicesAndUp
// says: and go up
// points: 10
#include "exercise.hpp"

namespace pipeline {

std::int32_t stage_of(std::int32_t device, std::int32_t /*devices*/,
                      std::int32_t /*copy*/) {
  return device;
}

}  // namespace pipeline

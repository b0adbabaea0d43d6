#include "schedule/schedule.hpp"

namespace pipeline {

Placement one_stage_per_device(std::int32_t devices) {
  Placement placement{devices, {}};
  placement.device_of_stage.reserve(static_cast<std::size_t>(devices));
  for (std::int32_t stage = 0; stage < devices; ++stage) {
    placement.device_of_stage.push_back(stage);
  }
  return placement;
}

}  // namespace pipeline

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

Placement loop_placement(std::int32_t devices, std::int32_t chunks) {
  Placement placement{devices, {}};
  placement.device_of_stage.reserve(static_cast<std::size_t>(devices) *
                                    static_cast<std::size_t>(chunks));
  for (std::int32_t stage = 0; stage < devices * chunks; ++stage) {
    placement.device_of_stage.push_back(stage % devices);
  }
  return placement;
}

Placement v_placement(std::int32_t devices) {
  Placement placement = one_stage_per_device(devices);
  for (std::int32_t device = devices; device-- > 0;) {
    placement.device_of_stage.push_back(device);
  }
  return placement;
}

Placement two_way_placement(std::int32_t devices) {
  Placement placement = one_stage_per_device(devices);
  for (std::int32_t device = devices; device-- > 0;) {
    placement.device_of_second_copy.push_back(device);
  }
  return placement;
}

}  // namespace pipeline

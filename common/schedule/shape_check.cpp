#include "schedule/shape_check.hpp"

#include <cstddef>
#include <optional>
#include <string>

#include "schedule/bounds.hpp"

namespace pipeline {
namespace {

void check_devices(const Schedule& schedule, std::int32_t copy, FaultList& faults) {
  for (std::int32_t stage = 0; stage < schedule.stages(); ++stage) {
    const std::int32_t device = schedule.placement.device_of(stage, copy);
    if (device >= 0 && device < schedule.devices()) continue;
    faults.add(FaultKind::Malformed, [&] {
      return (copy == 0 ? "stage " : "the second copy of stage ") +
             std::to_string(stage) + " is placed on device " + std::to_string(device) +
             ", but devices run from 0 to " + std::to_string(schedule.devices() - 1);
    });
  }
}

void check_placement(const Schedule& schedule, FaultList& faults) {
  if (schedule.rows.size() != static_cast<std::size_t>(schedule.devices())) {
    faults.add(FaultKind::Malformed, [&] {
      return "there are " + std::to_string(schedule.rows.size()) + " rows for " +
             std::to_string(schedule.devices()) + " devices";
    });
  }
  check_devices(schedule, 0, faults);
}

// Two copies need a part of the step each, and are summed where a step ends.
void check_second_copy(const Schedule& schedule, FaultList& faults) {
  if (schedule.placement.copies() == 1) return;
  const std::size_t stages = schedule.placement.device_of_second_copy.size();
  if (stages != schedule.placement.device_of_stage.size()) {
    return faults.add(FaultKind::Malformed, [&] {
      return "the second copy places " + std::to_string(stages) +
             " stages, the first " + std::to_string(schedule.stages());
    });
  }
  check_devices(schedule, 1, faults);
  if (schedule.micro_batches < 2) {
    faults.add(FaultKind::Malformed, [] {
      return std::string(
          "two copies of the weights need at least two micro-batches in a step, one "
          "for each");
    });
  }
  if (schedule.micro_batches_per_update() < schedule.micro_batches) {
    faults.add(FaultKind::Malformed, [] {
      return std::string(
          "an update after each backward leaves two copies of the weights unequal");
    });
  }
}

}  // namespace

void check_shape(const Schedule& schedule, FaultList& faults) {
  const auto add = [&faults](const std::optional<Error>& error) {
    if (error) faults.add(FaultKind::Malformed, [&] { return error->what; });
  };
  const auto stages =
      static_cast<std::int64_t>(schedule.placement.device_of_stage.size());
  add(refuse_count("devices", schedule.devices(), kMaximumDevices));
  add(refuse_count("stages", stages, kMaximumStages));
  add(refuse_count("micro-batches", schedule.micro_batches, kMaximumActions));
  add(refuse_count("steps", schedule.steps, kMaximumActions));
  if (!faults.empty()) return;
  add(refuse_size(stages, schedule.micro_batches, schedule.steps,
                  /*actions_per_cell=*/1));
  add(refuse_slices(schedule.slices, stages, schedule.micro_batches, schedule.steps,
                    /*actions_per_cell=*/1));
  check_placement(schedule, faults);
  check_second_copy(schedule, faults);
}

}  // namespace pipeline

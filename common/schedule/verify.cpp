#include "schedule/verify.hpp"

#include <cstddef>
#include <optional>
#include <string>

#include "schedule/bounds.hpp"
#include "schedule/census.hpp"
#include "schedule/faults.hpp"
#include "schedule/machine.hpp"
#include "schedule/memory_check.hpp"

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

// Whether the schedule is of a size that tables may be allocated for, and its
// placement one that they can be indexed by.
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

void check_options(const Schedule& schedule, const VerifyOptions& options,
                   FaultList& faults) {
  const std::size_t limits = options.memory_limit.size();
  if (limits > 1 && limits != static_cast<std::size_t>(schedule.devices())) {
    faults.add(FaultKind::Malformed, [&] {
      return "there are " + std::to_string(limits) + " memory limits for " +
             std::to_string(schedule.devices()) + " devices";
    });
  }
  for (const double limit : options.memory_limit) {
    if (limit >= 0) continue;  // also false for what is not a number
    faults.add(FaultKind::Malformed,
               [] { return std::string("a memory limit is not a number from 0 up"); });
  }
  const double freed = options.freed_by_input_gradient;
  if (!(freed >= 0 && freed <= 1)) {
    faults.add(FaultKind::Malformed, [&] {
      return std::string(
                 "the share of an activation that an input gradient frees is ") +
             "not within 0 to 1";
    });
  }
  if (options.buffers < 0) {
    faults.add(FaultKind::Malformed, [&] {
      return "links cannot have " + std::to_string(options.buffers) + " buffers";
    });
  }
}

}  // namespace

std::vector<Fault> verify(const Schedule& schedule, const VerifyOptions& options) {
  FaultList faults;
  check_shape(schedule, faults);
  if (faults.empty()) check_options(schedule, options, faults);
  if (!faults.empty()) return faults.take();
  Census census = take_census(schedule, faults);
  check_memory(schedule, options, faults);
  run_abstractly(schedule, census, options.buffers, faults);
  return faults.take();
}

}  // namespace pipeline

#include "schedule/verify.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "schedule/bounds.hpp"
#include "schedule/census.hpp"
#include "schedule/faults.hpp"
#include "schedule/machine.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

void check_placement(const Schedule& schedule, FaultList& faults) {
  if (schedule.rows.size() != static_cast<std::size_t>(schedule.devices())) {
    faults.add(FaultKind::Malformed, [&] {
      return "there are " + std::to_string(schedule.rows.size()) + " rows for " +
             std::to_string(schedule.devices()) + " devices";
    });
  }
  for (std::int32_t stage = 0; stage < schedule.stages(); ++stage) {
    const std::int32_t device = schedule.placement.device_of(stage);
    if (device >= 0 && device < schedule.devices()) continue;
    faults.add(FaultKind::Malformed, [&] {
      return "stage " + std::to_string(stage) + " is placed on device " +
             std::to_string(device) + ", but devices run from 0 to " +
             std::to_string(schedule.devices() - 1);
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
  check_placement(schedule, faults);
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
  if (options.buffers < 0) {
    faults.add(FaultKind::Malformed, [&] {
      return "links cannot have " + std::to_string(options.buffers) + " buffers";
    });
  }
}

// Most activations of one stage alive at once in a row.
std::int64_t peak_activations(const Row& row, bool training) {
  std::int64_t live = 0;
  std::int64_t peak = 0;
  std::int64_t freed = 0;  // by the members of the group so far
  for (const Entry& entry : row) {
    const ActionKind kind = entry.action.kind;
    if (kind == ActionKind::Forward) peak = std::max(peak, ++live);
    const bool frees =
        training ? kind == ActionKind::Backward || kind == ActionKind::WeightGradient
                 : kind == ActionKind::Forward;
    if (frees) ++freed;
    if (entry.with_next) continue;
    live = std::max<std::int64_t>(live - freed, 0);
    freed = 0;
  }
  return peak;
}

void check_memory(const Schedule& schedule, const VerifyOptions& options,
                  FaultList& faults) {
  if (options.memory_limit.empty()) return;
  std::vector<std::int32_t> stages_on(schedule.rows.size());
  for (const std::int32_t device : schedule.placement.device_of_stage) {
    ++stages_on[static_cast<std::size_t>(device)];
  }
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    const double limit = options.memory_limit[options.memory_limit.size() == 1 ? 0 : d];
    const std::int64_t activations =
        peak_activations(schedule.rows[d], schedule.training);
    const double peak = static_cast<double>(activations) / std::max(stages_on[d], 1);
    if (peak <= limit) continue;
    faults.add(FaultKind::OverMemory, [&] {
      std::string words = "device " + std::to_string(d) + " holds " +
                          std::to_string(activations) + " activations at once";
      if (stages_on[d] > 1) {
        words += ", which is " + number(peak, 2) + " for each of its " +
                 std::to_string(stages_on[d]) + " stages";
      }
      return words + ", over its limit of " + number(limit, 2);
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

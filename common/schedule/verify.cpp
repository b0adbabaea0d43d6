#include "schedule/verify.hpp"

#include <cstddef>
#include <string>

#include "schedule/census.hpp"
#include "schedule/faults.hpp"
#include "schedule/machine.hpp"
#include "schedule/memory_check.hpp"
#include "schedule/shape_check.hpp"

namespace pipeline {
namespace {

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
  const std::size_t shares = options.input_share.size();
  if (shares > 1 && shares != static_cast<std::size_t>(schedule.stages())) {
    faults.add(FaultKind::Malformed, [&] {
      return "there are " + std::to_string(shares) + " shares of inputs for " +
             std::to_string(schedule.stages()) + " stages";
    });
  }
  for (const double share : options.input_share) {
    if (share >= 0 && share <= 1) continue;
    faults.add(FaultKind::Malformed, [] {
      return std::string("the input's share of an activation is not within 0 to 1");
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

/// \file
/// From the options of `schedule` as they were typed to what they ask for.
#pragma once

#include "classroom/command.hpp"
#include "schedule/costs.hpp"
#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "schedule/verify.hpp"

namespace pipeline {

/// All of it, with the schedule generated or read from its file.
struct ScheduleRequest {
  Schedule schedule;  ///< to be reported on
  Costs costs;        ///< to simulate it with
  /// The memory limit and what InputGradient frees of an activation; `buffers` is 0.
  VerifyOptions verify;
};

/// Refuses what is no number or out of range, what goes with a generator and was given
/// with a file, or the reverse, and costs or limits that do not fit the schedule.
Expected<ScheduleRequest> read_request(const ScheduleAsked& typed);

}  // namespace pipeline

/// \file
/// Whether every device stays within its memory limit. Private to the schedule part.
#pragma once

#include "schedule/faults.hpp"
#include "schedule/schedule.hpp"
#include "schedule/verify.hpp"

namespace pipeline {

/// Walks each row alone, and adds an OverMemory for each device that holds too much.
/// The placement and the options must have been checked.
void check_memory(const Schedule& schedule, const VerifyOptions& options,
                  FaultList& faults);

}  // namespace pipeline

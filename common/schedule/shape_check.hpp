/// \file
/// Whether tables may be made for a schedule. Private to the schedule part.
#pragma once

#include "schedule/faults.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// Adds a Malformed for each size that is out of bounds, and for a placement or slices
/// that no table can be indexed by.
void check_shape(const Schedule& schedule, FaultList& faults);

}  // namespace pipeline

/// \file
/// An abstract machine that runs the rows of a schedule without times. Private to the
/// schedule part.
#pragma once

#include <cstdint>

#include "schedule/census.hpp"
#include "schedule/faults.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// Runs every row as far as it goes, and names what stops it: OutOfOrder, Blocked, and
/// Unmatched where a link carries messages in another order than they are wanted.
/// `census` is of this schedule; its table is used up. `buffers` is what a link holds.
void run_abstractly(const Schedule& schedule, Census& census, std::int32_t buffers,
                    FaultList& faults);

}  // namespace pipeline

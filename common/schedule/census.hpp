/// \file
/// The faults that can be seen without running anything. Private to the schedule part.
#pragma once

#include "schedule/faults.hpp"
#include "schedule/pending.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

struct Census {
  /// Every well-formed action that stands in the right row and, if it is half of a
  /// message, has its other half: what the abstract machine has to run. An action with
  /// a fault is left out, so that what waits for it does not become a second fault.
  PendingTable pending;
  bool lowered = false;
};

/// Counts every action: Malformed, Twice, WrongDevice, Missing, Unmatched. The sizes
/// and the placement of the schedule must have been checked.
Census take_census(const Schedule& schedule, FaultList& faults);

}  // namespace pipeline

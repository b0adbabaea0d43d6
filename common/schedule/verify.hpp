/// \file
/// Every fault of a schedule, each with its reason.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedule/schedule.hpp"

namespace pipeline {

enum class FaultKind {
  Malformed,    ///< a stage, device or micro-batch that the schedule does not have
  Missing,      ///< an action that the step needs and no row holds
  Twice,        ///< the same action more than once
  WrongDevice,  ///< an action in the row of a device that does not hold its stage
  OutOfOrder,   ///< actions that wait for each other in a circle (the cycle is in the
                ///< reason)
  OverMemory,   ///< more live activations on a device than its cap
  Unmatched,    ///< a send without its receive, or the reverse
  Blocked,      ///< communication that never completes at this buffer capacity
};

struct Fault {
  FaultKind kind;
  std::string reason;
};

struct VerifyOptions {
  /// Most activations a device may hold at once (one, or one for each device).
  std::vector<double> memory_limit;
  /// Messages a link holds that were sent and not yet received; 0 is rendezvous. Used
  /// on lowered rows only.
  std::int32_t buffers = 0;
};

/// All faults, empty when the schedule is valid. Linear in the number of actions. On
/// lowered rows (those with sends and receives) communication is checked too.
std::vector<Fault> verify(const Schedule& schedule, const VerifyOptions& options = {});

/// What a waiting device says of itself: "stage 0 waits for gradient 0 from 1". The
/// same words serve `verify` and the watchdog of the runtime. `action` is the send or
/// receive that `action.stage` cannot complete.
std::string wait_in_words(const Action& action);

}  // namespace pipeline

/// \file
/// The best schedule there is, for pipelines small enough to try everything. It says
/// how far a schedule found otherwise is from what can be had.
#pragma once

#include <cstdint>

#include "schedule/costs.hpp"
#include "schedule/error.hpp"
#include "schedule/memory_budget.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// What is to be as short as possible.
enum class ExactObjective : std::uint8_t {
  Makespan,     ///< from the first start to the last end
  LongestSpan,  ///< the most that a device takes from its first start to its last end
};

/// What is searched for, and how far.
struct ExactOptions {
  ExactObjective objective = ExactObjective::Makespan;  ///< what is to be short
  /// Backwards in halves, which other actions may come between; or whole.
  bool split_backward = true;
  /// After so many different states it gives up.
  std::int64_t most_states = 1'000'000;
};

/// What an exhaustive search found.
struct ExactAnswer {
  Schedule schedule;        ///< one that attains the optimum
  double optimum = 0;       ///< no schedule is shorter
  std::int64_t states = 0;  ///< what the proof took
};

/// The shortest schedule of one step among all that place each forward and backward of
/// each stage once, with the stages on the devices as in `placement` (one copy), and no
/// device over its limit (counted like `Memory::peak`). Times are those of `simulate`.
///
/// Tries, deadline by deadline, every order of actions that can meet it: a depth-first
/// search through time that remembers the states from which the deadline cannot be met.
/// Micro-batches are alike, so that each stage may run them in their order; and no
/// device waits for an action that it could have started before. Deterministic.
///
/// Needs whole times of at least 1 (transfers: a latency of at least 0, all links
/// alike, at most 3 times the shortest action), at most 16 stages and 32 micro-batches.
/// Refuses what is larger, and what is not decided within `most_states`, with the
/// length below which there is provably nothing.
Expected<ExactAnswer> exact(const Placement& placement, std::int32_t micro_batches,
                            const Costs& costs, const MemoryBudget& budget,
                            const ExactOptions& options = {});

}  // namespace pipeline

/// \file
/// The automatic zero-bubble schedule: found by search, for costs as they are and a
/// limit on memory.
#pragma once

#include "schedule/costs.hpp"
#include "schedule/error.hpp"
#include "schedule/generate.hpp"
#include "schedule/memory_budget.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// The schedule of Qi et al. (ICLR 2024, section 3): forwards, input gradients and
/// weight gradients in any order that the memory allows, chosen such that the longest
/// device span is short (and then the makespan) under these costs, which may differ
/// from stage to stage. Greedy runs through time under many rules, of which the best is
/// kept; ZB-H1 and what fits of ZB-H2 are tried too, so that it is never worse than
/// they. The amount of work is bounded and the result always the same.
///
/// A transfer counts with its latency and its message's time on an empty link, and all
/// micro-batches alike (`Costs::part_weights` are not looked at). Refuses costs that
/// are negative, not finite or of the wrong count, a limit below one activation, and
/// shares outside 0 to 1.
Expected<Schedule> zb_auto(const Shape& shape, const Costs& costs,
                           const MemoryBudget& budget);

}  // namespace pipeline

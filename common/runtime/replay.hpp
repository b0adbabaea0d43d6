/// \file
/// Times where the wall clock would lie: with more devices than cores (or than GPUs)
/// devices take turns, and a measured timeline shows the machine, not the schedule.
/// Then each action is measured alone, and the schedule is simulated with what was
/// measured.
#pragma once

#include <cstdint>

#include "runtime/executor.hpp"
#include "timeline/costs.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// Cores that this process may use.
std::int32_t usable_cores();

/// The level at which times of `platform`'s devices may be reported: the platform's own
/// while every device has a core or a GPU to itself, else Replay.
Level honest_level(const Platform& platform);

/// What each action of each stage costs in seconds, measured one at a time with all
/// else idle: the median of `repetitions`. Also the bytes that leave each stage, and a
/// link whose latency and bandwidth were measured by copying them. `rows` is the size
/// of one micro-batch. The weights do not change.
Expected<Costs> measure_action_costs(PlacedNetwork& network, std::int32_t rows,
                                     std::int32_t repetitions = 5);

/// The same from a run: medians over the actions of its measured timeline.
Costs costs_of_run(const Schedule& schedule, const Timeline& measured);

/// `schedule` simulated with `costs`, marked as a replay.
Expected<Timeline> replay(const Schedule& schedule, const Costs& costs);

}  // namespace pipeline

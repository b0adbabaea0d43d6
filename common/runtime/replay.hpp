/// \file
/// Times where the wall clock would lie: with more devices than cores (or than GPUs)
/// devices take turns, and a measured timeline shows the machine, not the schedule.
/// Then each action is measured alone, and the schedule is simulated with what was
/// measured.
#pragma once

#include <cstdint>

#include "runtime/executor.hpp"
#include "schedule/costs.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// Cores that this process may use.
std::int32_t usable_cores();

/// The level at which times of `platform`'s devices may be reported: the platform's own
/// while every device has a core or a GPU to itself, else Replay.
Level honest_level(const Platform& platform);

/// What each action of each stage costs in seconds, measured one at a time with all
/// else idle: the median of `repetitions`. Also the bytes that leave each stage, and
/// what a message costs: latency from the end of the work that made it to the start of
/// the work that needs it, and bandwidth. A micro-batch has `rows` samples of
/// `positions` positions each. The weights do not change. (From a run, `costs_from`
/// gives the costs that were measured in it.)
Costs measure_action_costs(PlacedNetwork& network, std::int32_t rows,
                           std::int32_t repetitions = 5, std::int32_t positions = 1);

/// What each layer of a network costs as if it were a stage, an entry a layer, measured
/// like the actions above with all layers on the platform's first device. What
/// `costs_of_stages` and `optimal_split` ask for; transfers are left free.
Expected<Costs> measure_layer_costs(Platform& platform, const Network& network,
                                    std::int32_t rows, std::int32_t repetitions = 5);

/// `schedule` simulated with `costs`, marked as a replay.
Expected<Timeline> replay(const Schedule& schedule, const Costs& costs);

}  // namespace pipeline

/// \file
/// Interleaved 1F1B: several stages on each device, so that the pipeline fills with
/// smaller pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/error.hpp"
#include "schedule/generate.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// How finely the stages interleave.
struct Interleaving {
  std::int32_t chunks = 2;      ///< v, stages on each device
  std::int32_t group_size = 0;  ///< G; 0: balanced groups
};

/// Interleaved 1F1B (Narayanan et al. 2021, section 2.2), for any number of
/// micro-batches. Stage s is on device s mod p (`loop_placement`). Micro-batches go
/// through in groups: all of a group pass a device's first stage, then all of them its
/// second, and so on; backwards in the same way from its last stage.
///
/// Device r warms up with 2(p-1-r) + (v-1)G forwards, as far as there are any. Where
/// the last groups are so small (G + the last one < 2(p-1)) that devices would then
/// wait for each other, the later devices warm up with more.
Expected<Schedule> interleaved(const Shape& shape, const Interleaving& choice);

/// The sizes of the groups of one step, in order. Without a given size: max(1,
/// floor(m/p)) groups, as even as they go. With one: groups of that size, and what is
/// left over. All counts are at least 1 (`group_size`: or 0).
std::vector<std::int32_t> interleaved_groups(std::int32_t devices,
                                             std::int32_t micro_batches,
                                             std::int32_t group_size);

/// Why PyTorch (`ScheduleInterleaved1F1B`) would refuse this many micro-batches: they
/// must be divisible by the number of groups, max(1, floor(m/p)). Nothing if it would
/// take them. The remedy names the nearest counts that it takes.
std::optional<Error> refused_by_pytorch(std::int32_t devices,
                                        std::int32_t micro_batches);

/// Why Megatron-LM (`microbatch-group-size-per-virtual-pipeline-stage`) would refuse
/// groups of this size: p <= G <= m must hold, and what is left over must be nothing or
/// at least p. Nothing if it would take them. The remedy names what it takes.
std::optional<Error> refused_by_megatron(std::int32_t devices,
                                         std::int32_t micro_batches,
                                         std::int32_t group_size);

}  // namespace pipeline

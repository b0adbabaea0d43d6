/// \file
/// How short a V schedule can be at all: an exhaustive search, for a few devices and
/// micro-batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace pipeline {

/// The most that `can_end_within` can be asked for.
inline constexpr std::int32_t kMostExactDevices = 8;
/// Likewise, micro-batches.
inline constexpr std::int32_t kMostExactMicroBatches = 255;

/// Whether any schedule on a V placement can run a step within `ticks`, every forward,
/// input and weight gradient taking one, no device ever holding more than `limit`
/// chunks (at least 2), and each kind of pass in the order of the micro-batches.
/// Nothing if there are more devices or micro-batches than can be asked for, or more
/// than `most_states` states to go on from at some tick.
///
/// It goes through all states that the devices can be in, tick by tick, so that an
/// answer is a proof: a schedule of t ticks of which t-1 are too few is the shortest.
std::optional<bool> can_end_within(std::int32_t devices, std::int32_t micro_batches,
                                   std::int32_t limit, std::int32_t ticks,
                                   std::size_t most_states);

}  // namespace pipeline

/// \file
/// Exercise 01: when a pipeline does what. One stage a device, forwards only; every
/// forward takes one tick and a transfer takes none. Devices and micro-batches are
/// counted from 0 and ticks from 1, as in the picture of chapter 01; sizes are at least
/// 1.
#pragma once

#include <cstdint>

namespace pipeline {

/// What `running_at` answers for a device that has nothing to do in a tick.
inline constexpr std::int32_t kIdle = -1;

/// Ticks from the start of the first forward to the end of the last one.
std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches);

/// The share of all devices' ticks, from the first to the last, in which a device
/// works: above 0 and at most 1.
double utilisation(std::int32_t devices, std::int32_t micro_batches);

/// The micro-batch whose forward `device` runs during `tick`, or kIdle. Any tick from 1
/// on may be asked for, those after the last one too.
std::int32_t running_at(std::int32_t device, std::int32_t micro_batches,
                        std::int32_t tick);

}  // namespace pipeline

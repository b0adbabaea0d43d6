/// \file
/// Exercise 09: a forward pipeline with its messages, and the buffers that they arrive
/// in. Stages and micro-batches are counted from 0; the device of stage s is device s.
///
/// Device s holds a few slots for activations that come in from device s-1, each large
/// enough for one. While it computes from one slot, the next activation is copied into
/// another:
///
///     slot 0   copy 0 │ compute 0 │ copy 2 │ compute 2 │
///     slot 1          │ copy 1    │ compute 1 │ copy 3 │
#pragma once

#include <cstdint>

#include "classroom/chapter_rows.hpp"

namespace pipeline {

/// The answer where there is no such device, or nothing to wait for.
inline constexpr std::int32_t kNone = -1;

/// The device that an activation comes from, and the one that it goes to.
std::int32_t receives_from(std::int32_t stage);
std::int32_t sends_to(std::int32_t stage, std::int32_t stages);

/// What the device of `stage` does, in order: `receive_of`, `forward_of` and `send_of`
/// entries. The first stage receives nothing, and the last one sends nothing.
Row forward_row(std::int32_t stage, std::int32_t stages, std::int32_t micro_batches);

/// The slot, from 0 to slots-1, that the activation of a micro-batch is copied into.
std::int32_t slot_of(std::int32_t micro_batch, std::int32_t slots);

/// The micro-batch whose forward on this device must have ended before the activation
/// of `micro_batch` may be copied into its slot; kNone where the slot is still unused.
std::int32_t frees_slot_for(std::int32_t micro_batch, std::int32_t slots);

}  // namespace pipeline

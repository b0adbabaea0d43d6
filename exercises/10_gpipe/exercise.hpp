/// \file
/// Exercise 10: a GPipe step, and a gradient from micro-batches that equals the full
/// batch's. Stages and micro-batches are counted from 0; there is at least one of each.
#pragma once

#include <cstdint>
#include <vector>

#include "classroom/chapter_rows.hpp"

namespace pipeline {

/// What the device of `stage` does in one GPipe step, in order: `forward_of` and
/// `backward_of` entries. The update at its end is added for you.
Row gpipe_row(std::int32_t stage, std::int32_t micro_batches);

/// The gradient of the mean loss over all rows of the batch. `gradients[k]` is that of
/// the mean loss over the rows of micro-batch k alone, and `rows[k]` counts those; they
/// need not be equal. All gradients are of one length.
std::vector<double> accumulate(const std::vector<std::vector<double>>& gradients,
                               const std::vector<std::int32_t>& rows);

/// The fewest micro-batches for which the idle fraction of GPipe on `devices` devices
/// with equal stages is at most `percent` per cent, with 1 <= percent <= 99.
std::int32_t micro_batches_needed(std::int32_t devices, std::int32_t percent);

}  // namespace pipeline

/// \file
/// Exercise 14: an interleaved 1F1B step. Stages, devices, chunks and micro-batches are
/// counted from 0; there is at least one of each. A device holds `chunks` stages.
#pragma once

#include <cstdint>
#include <vector>

#include "classroom/chapter_rows.hpp"

namespace pipeline {

/// The stage, in model order, that is chunk `chunk` of `device`: a micro-batch runs
/// through chunk 0 of every device before it comes back to device 0 for chunk 1.
std::int32_t stage_of(std::int32_t device, std::int32_t chunk, std::int32_t devices);

/// The sizes of the groups in which the micro-batches go through: floor(m/p) groups, at
/// least one, as even as they go, the larger ones first.
std::vector<std::int32_t> groups_of(std::int32_t devices, std::int32_t micro_batches);

/// How many forwards `device` runs before its first forward-and-backward pair, all its
/// stages together, when the first group has `group_size` micro-batches.
std::int32_t warm_up(std::int32_t device, std::int32_t devices, std::int32_t chunks,
                     std::int32_t micro_batches, std::int32_t group_size);

/// What `device` does in one step, in order: `forward_of` and `backward_of` entries.
/// The updates at its end are added for you.
Row interleaved_row(std::int32_t device, std::int32_t devices, std::int32_t chunks,
                    std::int32_t micro_batches);

}  // namespace pipeline

/// \file
/// Exercise 13: a 1F1B step. Stages, devices and micro-batches are counted from 0;
/// there is at least one of each. The device of stage s is device s.
#pragma once

#include <cstdint>

#include "classroom/chapter_rows.hpp"

namespace pipeline {

/// How many forwards `stage` runs before its first forward-and-backward pair.
std::int32_t warm_up(std::int32_t stage, std::int32_t devices,
                     std::int32_t micro_batches);

/// The most micro-batches that `stage` holds at once: those whose forward it has begun
/// and whose backward it has not ended.
std::int32_t most_in_flight(std::int32_t stage, std::int32_t devices,
                            std::int32_t micro_batches);

/// What the device of `stage` does in one 1F1B step, in order: `forward_of` and
/// `backward_of` entries. The update at its end is added for you.
Row one_f_one_b_row(std::int32_t stage, std::int32_t devices,
                    std::int32_t micro_batches);

}  // namespace pipeline

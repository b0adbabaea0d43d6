/// \file
/// Exercise 08: a network cut into stages, and a step that runs one micro-batch at a
/// time. Layers, stages and micro-batches are counted from 0; the device of stage s is
/// device s.
#pragma once

#include <cstdint>
#include <vector>

#include "classroom/chapter_rows.hpp"

namespace pipeline {

/// Where each stage begins: stage s holds layers [first[s], first[s+1]), so that there
/// are stages + 1 entries and the last is `layers`. No stage holds more than one layer
/// more than another, and the longer ones come first. There are at least as many layers
/// as stages.
std::vector<std::int32_t> split_layers(std::int32_t layers, std::int32_t stages);

/// What the device of `stage` does in one step in which a micro-batch goes all the way
/// through and back before the next one begins: `forward_of` and `backward_of` entries,
/// in order. The update at its end is added for you.
Row model_parallel_row(std::int32_t stage, std::int32_t micro_batches);

/// The share of the step in which one device works, when all stages take as long.
double busy_share(std::int32_t devices);

}  // namespace pipeline

/// \file
/// Whether numbers are numbers, asked by their bits: with -ffast-math a comparison says
/// nothing.
#pragma once

#include <cstdint>

#include "layers/layer.hpp"

namespace pipeline {

/// `*mark` says which micro-batch was the first to leave something infinite or not a
/// number in `m`: its number + 1; 0 while none has. All on the device. Does nothing
/// where `only_if` is given and 0.
void mark_if_not_finite(Compute& on, ConstMatrix m, std::int32_t micro_batch,
                        const std::int32_t* only_if, std::int32_t* mark);

}  // namespace pipeline

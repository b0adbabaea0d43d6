/// \file
/// Layer normalisation.
#pragma once

#include <cstdint>
#include <memory>

#include "layers/layer.hpp"

namespace pipeline {

/// Each row by itself (Ba et al. 2016, section 3):
///
///     y = scale (x - mean) / sqrt(variance + 1e-5) + shift
///
/// with the variance over `width`, not width - 1. Parameters: scale, which starts at 1,
/// then shift, which starts at 0 (`width` each).
std::unique_ptr<Layer> layer_norm(std::int32_t width);

inline constexpr float kLayerNormEpsilon = 1e-5F;  ///< added to the variance

}  // namespace pipeline

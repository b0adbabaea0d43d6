/// \file
/// Causal self-attention.
#pragma once

#include <cstdint>
#include <memory>

#include "layers/layer.hpp"

namespace pipeline {

/// Each position of a sequence takes an average of the values at its own and earlier
/// positions (Vaswani et al. 2017, section 3.2), for each of `heads` parts of `width`
/// columns by itself, d = width / heads wide:
///
///     y = softmax(Q K^T / sqrt(d)) V,   x = Q | K | V, each rows x width
///
/// No parameters; the products before and after are layers of their own. `heads`
/// divides `width`.
///
/// Of a sequence cut into slices (`Call::cache`), the forward of a slice adds its keys
/// and values to the cache, and takes those of earlier slices from there. The input
/// gradient of a slice, from the last to the first, adds to the gradients of earlier
/// slices' keys and values, which lie there too; that of the last slice, which reaches
/// `Pass::all_positions`, starts them anew.
std::unique_ptr<Layer> causal_attention(std::int32_t width, std::int32_t heads);

}  // namespace pipeline

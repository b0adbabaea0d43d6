/// \file
/// Starting weights.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pipeline {

/// Uniform in ±sqrt(6 / inputs), which keeps the variance through a layer followed by
/// ReLU (He et al. 2015, section 2.2). Host memory.
void he_uniform(float* weights, std::size_t count, std::int32_t inputs,
                std::uint64_t seed);

}  // namespace pipeline

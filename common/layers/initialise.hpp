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

/// Nearly normal: twelve uniform draws, whose sum has variance 1, around 0, times
/// `deviation`. Whole numbers up to the last product, so that no library's logarithm
/// has a say in the bits; the tails end at six deviations. Host memory.
void normal(float* weights, std::size_t count, double deviation, std::uint64_t seed);

}  // namespace pipeline

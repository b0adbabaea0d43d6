/// \file
/// Sums over gradients, each in one fixed order: the same bits on every device and for
/// every cut of a network into stages.
#pragma once

#include <cstddef>

#include "layers/compute.hpp"

namespace pipeline {

/// out[i] = first[i] + second[i]; `out` may be either of them.
void add(Compute& on, std::size_t count, const float* first, const float* second,
         float* out);

/// first[i] and second[i] both become first[i] + second[i].
void add_into_both(Compute& on, std::size_t count, float* first, float* second);

/// to[i] = from[i].
void copy(Compute& on, std::size_t count, const float* from, float* to);

/// values[i] *= *factor, which lies on the device.
void scale(Compute& on, std::size_t count, float* values, const float* factor);

/// How many values `sum_of_squares` adds up in a row before it adds up these sums.
inline constexpr std::size_t kSquaresInARow = 1024;

/// *sum (on the device) = the sum of values[i]^2, in double: of kSquaresInARow at a
/// time, and then of these sums in order.
void sum_of_squares(Compute& on, std::size_t count, const float* values, double* sum);

/// *norm = the root of the sum of squares[i], added in order. *factor = what gradients
/// of this norm are multiplied by so that it becomes at most `most` (Pascanu et al.
/// 2013, algorithm 1): 1 if it is so already, or if `most` is 0.
void norm_of(Compute& on, std::size_t count, const double* squares, float most,
             double* norm, float* factor);

}  // namespace pipeline

/// \file
/// Two checks: a reference against finite differences, and a layer against its
/// reference. Test code.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "layers/layer.hpp"
#include "layers/reference.hpp"

namespace pipeline {

/// The gradients of sum(dy * f(x)), a number, against central differences of it over
/// every input and parameter. Returns the largest difference, over the largest
/// gradient. Wrong where a kink (ReLU at 0) lies within `step` of an input.
double finite_difference_error(const ReferenceLayer& layer, const Pass& pass,
                               std::span<const double> parameters,
                               const DoubleMatrix& x, const DoubleMatrix& dy,
                               double step = 1e-5);
/// The same for the gradient of the loss by each logit.
double finite_difference_error_of_loss(const DoubleMatrix& logits,
                                       std::span<const std::int32_t> labels,
                                       double step = 1e-5);

/// By how much a layer and its reference differ: the `relative_error` of y, of dx and,
/// the worst of them, of each tensor of the gradients.
struct LayerErrors {
  double forward = 0;
  double input_gradient = 0;
  double weight_gradient = 0;

  double largest() const;
};

/// What a layer is compared on.
struct LayerTrial {
  Pass pass;
  DoubleMatrix x, dy;
  std::vector<double> parameters;
};

/// Inputs in [-2, 2], gradients in [-1, 1] and parameters in [-0.5, 0.5], drawn from
/// `seed` (and rounded to float, so that both sides start from the same numbers).
LayerTrial draw_trial(const Layer& layer, std::int32_t rows, std::uint64_t seed,
                      const Pass& pass = {});

/// Runs `layer` on the device of `stream`, its state as `initialise_state` leaves it.
LayerErrors compare_with_reference(Stream& stream, Compute& compute, const Layer& layer,
                                   const ReferenceLayer& reference,
                                   const LayerTrial& trial);

/// ||a - b|| / ||b||, the root of the sum of squares; ||a|| where b is zero. Infinite
/// with a NaN in either.
double relative_error(std::span<const float> a, std::span<const double> b);

}  // namespace pipeline

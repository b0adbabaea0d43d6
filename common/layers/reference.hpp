/// \file
/// Every layer once more in double precision, as plain loops on the host, and two
/// checks: the reference against finite differences, a layer against the reference.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "layers/layer.hpp"

namespace pipeline {

/// A row-major matrix of doubles on the host.
struct DoubleMatrix {
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::vector<double> values;

  DoubleMatrix(std::int32_t r, std::int32_t c)
      : rows(r), columns(c), values(static_cast<std::size_t>(r) * c) {}
  double& at(std::int32_t row, std::int32_t column) {
    return values[static_cast<std::size_t>(row) * columns + column];
  }
  double at(std::int32_t row, std::int32_t column) const {
    return values[static_cast<std::size_t>(row) * columns + column];
  }
};

/// Uniform in [-bound, bound].
DoubleMatrix random_matrix(std::int32_t rows, std::int32_t columns, double bound,
                           std::uint64_t seed);

/// c = op(a) op(b).
DoubleMatrix reference_product(bool transpose_a, const DoubleMatrix& a,
                               bool transpose_b, const DoubleMatrix& b);

/// `Layer`, in double. The order of the parameters is that layer's.
class ReferenceLayer {
 public:
  virtual ~ReferenceLayer() = default;
  virtual std::size_t parameter_count() const = 0;
  virtual DoubleMatrix forward(std::span<const double> parameters,
                               const DoubleMatrix& x) const = 0;
  virtual DoubleMatrix input_gradient(std::span<const double> parameters,
                                      const DoubleMatrix& x,
                                      const DoubleMatrix& dy) const = 0;
  virtual std::vector<double> weight_gradient(const DoubleMatrix& x,
                                              const DoubleMatrix& dy) const = 0;
};

std::unique_ptr<ReferenceLayer> reference_linear(std::int32_t inputs,
                                                 std::int32_t outputs);
std::unique_ptr<ReferenceLayer> reference_relu();
std::unique_ptr<ReferenceLayer> reference_gelu();

/// Sum of the rows' losses.
double reference_loss(const DoubleMatrix& logits, std::span<const std::int32_t> labels);
DoubleMatrix reference_loss_gradient(const DoubleMatrix& logits,
                                     std::span<const std::int32_t> labels,
                                     double weight);

/// The gradients of sum(dy * f(x)), a number, against central differences of it over
/// every input and parameter. Returns the largest difference, over the largest
/// gradient. Wrong where a kink (ReLU at 0) lies within `step` of an input.
double finite_difference_error(const ReferenceLayer& layer,
                               std::span<const double> parameters,
                               const DoubleMatrix& x, const DoubleMatrix& dy,
                               double step = 1e-5);
/// The same for the gradient of the loss by each logit.
double finite_difference_error_of_loss(const DoubleMatrix& logits,
                                       std::span<const std::int32_t> labels,
                                       double step = 1e-5);

/// Largest differences between a layer and its reference, each over the largest
/// magnitude in the reference's result.
struct LayerErrors {
  double forward = 0;
  double input_gradient = 0;
  double weight_gradient = 0;

  double largest() const;
};

/// Runs `layer` on the device of `stream` with inputs, gradients and parameters drawn
/// from `seed` (rounded to float, so that both sides start from the same numbers).
LayerErrors compare_with_reference(Stream& stream, Compute& compute, const Layer& layer,
                                   const ReferenceLayer& reference, std::int32_t rows,
                                   std::uint64_t seed);

/// Largest |a - b|, over the largest |b|.
double largest_difference(std::span<const float> a, std::span<const double> b);

std::vector<float> to_float(std::span<const double> values);

}  // namespace pipeline

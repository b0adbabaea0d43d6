/// \file
/// Every layer once more in double precision, as plain loops on the host. How they are
/// held against one another: layer_check.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "layers/layer.hpp"

namespace pipeline {

/// A row-major matrix of doubles on the host.
struct DoubleMatrix {
  std::int32_t rows = 0;       ///< of the matrix
  std::int32_t columns = 0;    ///< of the matrix
  std::vector<double> values;  ///< rows x columns of them, row-major

  /// Zeros.
  DoubleMatrix(std::int32_t r, std::int32_t c)
      : rows(r), columns(c), values(static_cast<std::size_t>(r) * c) {}
  /// An element; both count from 0.
  double& at(std::int32_t row, std::int32_t column) {
    return values[static_cast<std::size_t>(row) * columns + column];
  }
  /// An element; both count from 0.
  double at(std::int32_t row, std::int32_t column) const {
    return values[static_cast<std::size_t>(row) * columns + column];
  }
};

/// Uniform in [-bound, bound].
DoubleMatrix random_matrix(std::int32_t rows, std::int32_t columns, double bound,
                           std::uint64_t seed);

/// The values, rounded to floats.
std::vector<float> to_float(std::span<const double> values);

/// c = op(a) op(b).
DoubleMatrix reference_product(bool transpose_a, const DoubleMatrix& a,
                               bool transpose_b, const DoubleMatrix& b);

/// `Layer`, in double, of whole sequences only. The order of the parameters is that
/// layer's.
class ReferenceLayer {
 public:
  virtual ~ReferenceLayer() = default;
  /// Lengths of the tensors that the parameters are, in order.
  virtual std::vector<std::size_t> tensors() const { return {}; }
  /// y = f(x); see `Layer::forward`.
  virtual DoubleMatrix forward(const Pass& pass, std::span<const double> parameters,
                               const DoubleMatrix& x) const = 0;
  /// (df/dx)^T dy; see `Layer::input_gradient`.
  virtual DoubleMatrix input_gradient(const Pass& pass,
                                      std::span<const double> parameters,
                                      const DoubleMatrix& x,
                                      const DoubleMatrix& dy) const = 0;
  /// The gradients of all parameters; none are left out, and nothing is added.
  virtual std::vector<double> weight_gradient(const Pass& /*pass*/,
                                              const DoubleMatrix& /*x*/,
                                              const DoubleMatrix& /*dy*/) const {
    return {};
  }

  /// The sum of `tensors()`.
  std::size_t parameter_count() const;
};

/// The reference of `linear`.
std::unique_ptr<ReferenceLayer> reference_linear(std::int32_t inputs,
                                                 std::int32_t outputs);
/// The reference of `relu`.
std::unique_ptr<ReferenceLayer> reference_relu();
/// The reference of `gelu`.
std::unique_ptr<ReferenceLayer> reference_gelu();

/// Sum of the rows' losses.
double reference_loss(const DoubleMatrix& logits, std::span<const std::int32_t> labels);
/// Of `weight` times the sum of the rows' losses, with respect to the logits.
DoubleMatrix reference_loss_gradient(const DoubleMatrix& logits,
                                     std::span<const std::int32_t> labels,
                                     double weight);

}  // namespace pipeline

#include "layers/reference.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "layers/random.hpp"

namespace pipeline {

DoubleMatrix random_matrix(std::int32_t rows, std::int32_t columns, double bound,
                           std::uint64_t seed) {
  DoubleMatrix m(rows, columns);
  Random random(seed);
  for (double& value : m.values) {
    // Rounded to float, so that a float layer can start from exactly these.
    value = static_cast<float>((2 * random.uniform() - 1) * bound);
  }
  return m;
}

std::vector<float> to_float(std::span<const double> values) {
  std::vector<float> floats;
  floats.reserve(values.size());
  for (const double value : values) floats.push_back(static_cast<float>(value));
  return floats;
}

DoubleMatrix reference_product(bool transpose_a, const DoubleMatrix& a,
                               bool transpose_b, const DoubleMatrix& b) {
  const std::int32_t rows = transpose_a ? a.columns : a.rows;
  const std::int32_t columns = transpose_b ? b.rows : b.columns;
  const std::int32_t depth = transpose_a ? a.rows : a.columns;
  DoubleMatrix c(rows, columns);
  for (std::int32_t i = 0; i < rows; ++i) {
    for (std::int32_t j = 0; j < columns; ++j) {
      for (std::int32_t k = 0; k < depth; ++k) {
        c.at(i, j) += (transpose_a ? a.at(k, i) : a.at(i, k)) *
                      (transpose_b ? b.at(j, k) : b.at(k, j));
      }
    }
  }
  return c;
}

std::size_t ReferenceLayer::parameter_count() const {
  const std::vector<std::size_t> sizes = tensors();
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

namespace {

class ReferenceLinear : public ReferenceLayer {
 public:
  ReferenceLinear(std::int32_t inputs, std::int32_t outputs)
      : inputs_(inputs), outputs_(outputs) {}

  std::vector<std::size_t> tensors() const override {
    const auto outputs = static_cast<std::size_t>(outputs_);
    return {static_cast<std::size_t>(inputs_) * outputs, outputs};
  }
  DoubleMatrix forward(const Pass&, std::span<const double> parameters,
                       const DoubleMatrix& x) const override {
    DoubleMatrix y = reference_product(false, x, false, weights(parameters));
    for (std::int32_t i = 0; i < y.rows; ++i) {
      for (std::int32_t j = 0; j < outputs_; ++j) {
        y.at(i, j) += parameters[static_cast<std::size_t>(inputs_) * outputs_ + j];
      }
    }
    return y;
  }
  DoubleMatrix input_gradient(const Pass&, std::span<const double> parameters,
                              const DoubleMatrix&,
                              const DoubleMatrix& dy) const override {
    return reference_product(false, dy, true, weights(parameters));
  }
  std::vector<double> weight_gradient(const Pass&, const DoubleMatrix& x,
                                      const DoubleMatrix& dy) const override {
    std::vector<double> gradients = reference_product(true, x, false, dy).values;
    for (std::int32_t j = 0; j < outputs_; ++j) {
      double sum = 0;
      for (std::int32_t i = 0; i < dy.rows; ++i) sum += dy.at(i, j);
      gradients.push_back(sum);
    }
    return gradients;
  }

 private:
  DoubleMatrix weights(std::span<const double> parameters) const {
    DoubleMatrix w(inputs_, outputs_);
    std::copy_n(parameters.begin(), w.values.size(), w.values.begin());
    return w;
  }
  std::int32_t inputs_;
  std::int32_t outputs_;
};

double relu_value(double x) { return std::max(x, 0.0); }
double relu_slope(double x) { return x > 0 ? 1 : 0; }

const double kGeluScale = std::sqrt(2 / std::numbers::pi);

double gelu_value(double x) {
  return x / 2 * (1 + std::tanh(kGeluScale * (x + 0.044715 * x * x * x)));
}
double gelu_slope(double x) {
  const double t = std::tanh(kGeluScale * (x + 0.044715 * x * x * x));
  const double du = kGeluScale * (1 + 3 * 0.044715 * x * x);
  return (1 + t) / 2 + x / 2 * (1 - t * t) * du;
}

class ReferenceActivation : public ReferenceLayer {
 public:
  using Function = double (*)(double);
  ReferenceActivation(Function value, Function slope) : value_(value), slope_(slope) {}

  DoubleMatrix forward(const Pass&, std::span<const double>,
                       const DoubleMatrix& x) const override {
    DoubleMatrix y = x;
    for (double& value : y.values) value = value_(value);
    return y;
  }
  DoubleMatrix input_gradient(const Pass&, std::span<const double>,
                              const DoubleMatrix& x,
                              const DoubleMatrix& dy) const override {
    DoubleMatrix dx = dy;
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      dx.values[i] *= slope_(x.values[i]);
    }
    return dx;
  }

 private:
  Function value_;
  Function slope_;
};

/// log(sum(exp(row))), with the largest taken off first.
double log_sum_exp(const DoubleMatrix& logits, std::int32_t row) {
  double maximum = logits.at(row, 0);
  for (std::int32_t j = 1; j < logits.columns; ++j) {
    maximum = std::max(maximum, logits.at(row, j));
  }
  double sum = 0;
  for (std::int32_t j = 0; j < logits.columns; ++j) {
    sum += std::exp(logits.at(row, j) - maximum);
  }
  return maximum + std::log(sum);
}

}  // namespace

std::unique_ptr<ReferenceLayer> reference_linear(std::int32_t inputs,
                                                 std::int32_t outputs) {
  return std::make_unique<ReferenceLinear>(inputs, outputs);
}
std::unique_ptr<ReferenceLayer> reference_relu() {
  return std::make_unique<ReferenceActivation>(relu_value, relu_slope);
}
std::unique_ptr<ReferenceLayer> reference_gelu() {
  return std::make_unique<ReferenceActivation>(gelu_value, gelu_slope);
}

double reference_loss(const DoubleMatrix& logits,
                      std::span<const std::int32_t> labels) {
  double sum = 0;
  for (std::int32_t i = 0; i < logits.rows; ++i) {
    sum += log_sum_exp(logits, i) - logits.at(i, labels[static_cast<std::size_t>(i)]);
  }
  return sum;
}

DoubleMatrix reference_loss_gradient(const DoubleMatrix& logits,
                                     std::span<const std::int32_t> labels,
                                     double weight) {
  DoubleMatrix gradient(logits.rows, logits.columns);
  for (std::int32_t i = 0; i < logits.rows; ++i) {
    const double log_sum = log_sum_exp(logits, i);
    for (std::int32_t j = 0; j < logits.columns; ++j) {
      const double hot = labels[static_cast<std::size_t>(i)] == j ? 1 : 0;
      gradient.at(i, j) = (std::exp(logits.at(i, j) - log_sum) - hot) * weight;
    }
  }
  return gradient;
}

}  // namespace pipeline

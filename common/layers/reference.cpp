#include "layers/reference.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "layers/compute.hpp"
#include "layers/device_array.hpp"
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

namespace {

class ReferenceLinear : public ReferenceLayer {
 public:
  ReferenceLinear(std::int32_t inputs, std::int32_t outputs)
      : inputs_(inputs), outputs_(outputs) {}

  std::size_t parameter_count() const override {
    return static_cast<std::size_t>(inputs_ + 1) * outputs_;
  }
  DoubleMatrix forward(std::span<const double> parameters,
                       const DoubleMatrix& x) const override {
    DoubleMatrix y = reference_product(false, x, false, weights(parameters));
    for (std::int32_t i = 0; i < y.rows; ++i) {
      for (std::int32_t j = 0; j < outputs_; ++j) {
        y.at(i, j) += parameters[static_cast<std::size_t>(inputs_) * outputs_ + j];
      }
    }
    return y;
  }
  DoubleMatrix input_gradient(std::span<const double> parameters, const DoubleMatrix&,
                              const DoubleMatrix& dy) const override {
    return reference_product(false, dy, true, weights(parameters));
  }
  std::vector<double> weight_gradient(const DoubleMatrix& x,
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

  std::size_t parameter_count() const override { return 0; }
  DoubleMatrix forward(std::span<const double>, const DoubleMatrix& x) const override {
    DoubleMatrix y = x;
    for (double& value : y.values) value = value_(value);
    return y;
  }
  DoubleMatrix input_gradient(std::span<const double>, const DoubleMatrix& x,
                              const DoubleMatrix& dy) const override {
    DoubleMatrix dx = dy;
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      dx.values[i] *= slope_(x.values[i]);
    }
    return dx;
  }
  std::vector<double> weight_gradient(const DoubleMatrix&,
                                      const DoubleMatrix&) const override {
    return {};
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

double dot(const DoubleMatrix& a, const DoubleMatrix& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) sum += a.values[i] * b.values[i];
  return sum;
}

double largest_magnitude(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Moves each of `values` by ±step, and holds the change of `objective` against
/// `gradient`. Returns the largest difference, not yet relative.
template <typename Objective>
double difference_error(std::span<double> values, std::span<const double> gradient,
                        double step, Objective objective) {
  assert(values.size() == gradient.size());
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double kept = values[i];
    values[i] = kept + step;
    const double above = objective();
    values[i] = kept - step;
    const double below = objective();
    values[i] = kept;
    worst = std::max(worst, std::abs((above - below) / (2 * step) - gradient[i]));
  }
  return worst;
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

double finite_difference_error(const ReferenceLayer& layer,
                               std::span<const double> parameters,
                               const DoubleMatrix& x, const DoubleMatrix& dy,
                               double step) {
  DoubleMatrix moved_x = x;
  std::vector<double> moved_parameters(parameters.begin(), parameters.end());
  const auto objective = [&] {
    return dot(layer.forward(moved_parameters, moved_x), dy);
  };
  const DoubleMatrix dx = layer.input_gradient(parameters, x, dy);
  const std::vector<double> gradients = layer.weight_gradient(x, dy);
  const double worst =
      std::max(difference_error(moved_x.values, dx.values, step, objective),
               difference_error(moved_parameters, gradients, step, objective));
  return worst / std::max(largest_magnitude(dx.values), largest_magnitude(gradients));
}

double finite_difference_error_of_loss(const DoubleMatrix& logits,
                                       std::span<const std::int32_t> labels,
                                       double step) {
  DoubleMatrix moved = logits;
  const DoubleMatrix gradient = reference_loss_gradient(logits, labels, 1);
  return difference_error(moved.values, gradient.values, step,
                          [&] { return reference_loss(moved, labels); }) /
         largest_magnitude(gradient.values);
}

double LayerErrors::largest() const {
  return std::max({forward, input_gradient, weight_gradient});
}

LayerErrors compare_with_reference(Stream& stream, Compute& compute, const Layer& layer,
                                   const ReferenceLayer& reference, std::int32_t rows,
                                   std::uint64_t seed) {
  assert(layer.parameter_count() == reference.parameter_count());
  const auto count = static_cast<std::int32_t>(layer.parameter_count());
  const DoubleMatrix x = random_matrix(rows, layer.inputs(), 2, seed);
  const DoubleMatrix dy = random_matrix(rows, layer.outputs(), 1, seed + 1);
  const DoubleMatrix parameters = random_matrix(1, count, 0.5, seed + 2);
  const DoubleMatrix before = random_matrix(1, count, 0.5, seed + 3);

  const DeviceArray<float> device_x(stream, to_float(x.values));
  const DeviceArray<float> device_dy(stream, to_float(dy.values));
  const DeviceArray<float> device_parameters(stream, to_float(parameters.values));
  const DeviceArray<float> gradients(stream, to_float(before.values));
  const DeviceArray<float> y(stream, std::vector<float>(dy.values.size(), 7.0F));
  const DeviceArray<float> dx(stream, std::vector<float>(x.values.size(), 7.0F));

  struct Trial {
    Compute* compute;
    const Layer* layer;
    const float* parameters;
    float* gradients;
    Matrix x, dy, y, dx;
  };
  const Trial trial = {&compute,
                       &layer,
                       device_parameters.data(),
                       gradients.data(),
                       device_x.matrix(rows, layer.inputs()),
                       device_dy.matrix(rows, layer.outputs()),
                       y.matrix(rows, layer.outputs()),
                       dx.matrix(rows, layer.inputs())};
  stream.run(Work([&trial](NativeStream native) {
    trial.compute->enter(native);
    trial.layer->forward(*trial.compute, trial.parameters, trial.x, trial.y);
    trial.layer->input_gradient(*trial.compute, trial.parameters, trial.x, trial.dy,
                                trial.dx);
    trial.layer->weight_gradient(*trial.compute, trial.parameters, trial.x, trial.dy,
                                 trial.gradients);
  }));
  stream.synchronize();

  // The layer adds to what the gradients held before.
  std::vector<double> sums = reference.weight_gradient(x, dy);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += before.values[i];
  LayerErrors errors;
  errors.forward =
      largest_difference(y.read(), reference.forward(parameters.values, x).values);
  errors.input_gradient = largest_difference(
      dx.read(), reference.input_gradient(parameters.values, x, dy).values);
  errors.weight_gradient = largest_difference(gradients.read(), sums);
  return errors;
}

double largest_difference(std::span<const float> a, std::span<const double> b) {
  assert(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - b[i]);
    if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, difference);
  }
  return b.empty() ? 0 : worst / largest_magnitude(b);
}

std::vector<float> to_float(std::span<const double> values) {
  std::vector<float> floats;
  floats.reserve(values.size());
  for (const double value : values) floats.push_back(static_cast<float>(value));
  return floats;
}

}  // namespace pipeline

#include "layers/layer_check.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "layers/compute.hpp"
#include "layers/device_array.hpp"

namespace pipeline {

namespace {

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

/// What a layer made of a trial, added to `before` where it adds.
struct Outcome {
  std::vector<float> y, dx, gradients;
};

Outcome outcome_of(Stream& stream, Compute& compute, const Layer& layer,
                   const LayerTrial& trial, std::span<const double> before) {
  std::vector<float> initial_state(layer.state_count());
  layer.initialise_state(initial_state.data());
  const DeviceArray<float> parameters(stream, to_float(trial.parameters));
  const DeviceArray<float> state(stream, initial_state);
  const DeviceArray<float> x(stream, to_float(trial.x.values));
  const DeviceArray<float> dy(stream, to_float(trial.dy.values));
  const DeviceArray<float> y(stream, std::vector<float>(dy.size(), 7.0F));
  const DeviceArray<float> dx(stream, std::vector<float>(x.size(), 7.0F));
  const DeviceArray<float> gradients(stream, to_float(before));
  const auto work = [&](NativeStream native) {
    const auto rows = trial.x.rows;
    const Matrix in = x.matrix(rows, layer.inputs());
    const Matrix gradient = dy.matrix(rows, layer.outputs());
    Call call(parameters.data());
    call.state = state.data();
    call.pass = trial.pass;
    compute.enter(native);
    layer.forward(compute, call, in, y.matrix(rows, layer.outputs()));
    layer.input_gradient(compute, call, in, gradient, dx.matrix(rows, layer.inputs()));
    layer.weight_gradient(compute, call, in, gradient, gradients.data());
  };
  stream.run(Work([&work](NativeStream native) { work(native); }));
  stream.synchronize();
  return {y.read(), dx.read(), gradients.read()};
}

}  // namespace

double finite_difference_error(const ReferenceLayer& layer, const Pass& pass,
                               std::span<const double> parameters,
                               const DoubleMatrix& x, const DoubleMatrix& dy,
                               double step) {
  DoubleMatrix moved_x = x;
  std::vector<double> moved_parameters(parameters.begin(), parameters.end());
  const auto objective = [&] {
    return dot(layer.forward(pass, moved_parameters, moved_x), dy);
  };
  const DoubleMatrix dx = layer.input_gradient(pass, parameters, x, dy);
  const std::vector<double> gradients = layer.weight_gradient(pass, x, dy);
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

LayerTrial draw_trial(const Layer& layer, std::int32_t rows, std::uint64_t seed,
                      const Pass& pass) {
  const auto count = static_cast<std::int32_t>(layer.parameter_count());
  return {pass, random_matrix(rows, layer.inputs(), 2, seed),
          random_matrix(rows, layer.outputs(), 1, seed + 1),
          random_matrix(1, count, 0.5, seed + 2).values};
}

LayerErrors compare_with_reference(Stream& stream, Compute& compute, const Layer& layer,
                                   const ReferenceLayer& reference,
                                   const LayerTrial& trial) {
  assert(layer.parameter_count() == reference.parameter_count());
  const auto count = static_cast<std::int32_t>(layer.parameter_count());
  // The layer adds to what the gradients held before.
  const std::vector<double> before = random_matrix(1, count, 0.5, 1).values;
  const Outcome outcome = outcome_of(stream, compute, layer, trial, before);
  std::vector<double> sums = reference.weight_gradient(trial.pass, trial.x, trial.dy);
  assert(sums.size() == before.size());
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += before[i];

  LayerErrors errors;
  errors.forward = relative_error(
      outcome.y, reference.forward(trial.pass, trial.parameters, trial.x).values);
  errors.input_gradient = relative_error(
      outcome.dx,
      reference.input_gradient(trial.pass, trial.parameters, trial.x, trial.dy).values);
  std::size_t first = 0;
  for (const std::size_t size : reference.tensors()) {
    errors.weight_gradient =
        std::max(errors.weight_gradient,
                 relative_error(std::span(outcome.gradients).subspan(first, size),
                                std::span(sums).subspan(first, size)));
    first += size;
  }
  return errors;
}

double relative_error(std::span<const float> a, std::span<const double> b) {
  assert(a.size() == b.size());
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = static_cast<double>(a[i]) - b[i];
    difference += apart * apart;
    norm += b[i] * b[i];
  }
  if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
  return std::sqrt(norm == 0 ? difference : difference / norm);
}

}  // namespace pipeline

#include "layers/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "layers/policy.hpp"

namespace pipeline {
namespace {

void sgd(Compute& on, const Optimizer& optimizer, float rate,
         const LayerUpdate& layer) {
  const float momentum = optimizer.momentum;
  const float* const weights = layer.weights;
  float* const new_weights = layer.new_weights;
  float* const gradients = layer.gradients;
  float* const velocity = layer.first_moment;
  for_each_index(on, static_cast<std::int64_t>(layer.count),
                 [=] PIPELINE_HD(std::int64_t i) {
                   const float v = momentum * velocity[i] + gradients[i];
                   velocity[i] = v;
                   new_weights[i] = weights[i] - rate * v;
                   gradients[i] = 0;
                 });
}

/// Moments start at 0, and so come out too small in the first steps: divided by
/// 1 - beta^t, they do not (Kingma & Ba 2015, section 3).
float correction(float beta, std::int64_t step) {
  return static_cast<float>(
      1 / (1 - std::pow(static_cast<double>(beta), static_cast<double>(step + 1))));
}

/// Parameters [first, end) of `layer`, which all decay by the same.
void adam_w(Compute& on, const Optimizer& optimizer, std::int64_t step,
            const LayerUpdate& layer, std::size_t first, std::size_t end, float decay) {
  const float beta1 = optimizer.beta1;
  const float beta2 = optimizer.beta2;
  const float correction1 = correction(beta1, step);
  const float correction2 = correction(beta2, step);
  const float epsilon = optimizer.epsilon;
  const float rate = optimizer.rate_at(step);
  const float* const weights = layer.weights + first;
  float* const new_weights = layer.new_weights + first;
  float* const gradients = layer.gradients + first;
  float* const mean = layer.first_moment + first;
  float* const square = layer.second_moment + first;
  for_each_index(
      on, static_cast<std::int64_t>(end - first), [=] PIPELINE_HD(std::int64_t i) {
        const float g = gradients[i];
        const float w = weights[i];
        const float a = beta1 * mean[i] + (1 - beta1) * g;
        const float b = beta2 * square[i] + (1 - beta2) * (g * g);
        mean[i] = a;
        square[i] = b;
        new_weights[i] =
            w - rate * (a * correction1 / (std::sqrt(b * correction2) + epsilon) +
                        decay * w);
        gradients[i] = 0;
      });
}

}  // namespace

float Optimizer::rate_at(std::int64_t step) const {
  if (step < warmup_steps) {
    return static_cast<float>(static_cast<double>(rate) *
                              static_cast<double>(step + 1) /
                              static_cast<double>(warmup_steps));
  }
  if (decay_steps == 0) return rate;
  if (step >= decay_steps) return least_rate;
  const double share = static_cast<double>(step - warmup_steps) /
                       static_cast<double>(decay_steps - warmup_steps);
  const double above = (1 + std::cos(std::numbers::pi * share)) / 2;
  const auto least = static_cast<double>(least_rate);
  return static_cast<float>(least + above * (static_cast<double>(rate) - least));
}

void update(Compute& on, const Optimizer& optimizer, std::int64_t step,
            const LayerUpdate& layer) {
  if (optimizer.kind == Optimizer::Kind::Sgd) {
    sgd(on, optimizer, optimizer.rate_at(step), layer);
    return;
  }
  const std::size_t decayed = std::min(layer.decayed, layer.count);
  adam_w(on, optimizer, step, layer, 0, decayed, optimizer.decay);
  adam_w(on, optimizer, step, layer, decayed, layer.count, 0);
}

}  // namespace pipeline

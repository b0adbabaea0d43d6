#include "layers/layer.hpp"
#include "layers/policy.hpp"

namespace pipeline {

void sgd_update(Compute& on, std::size_t count, float* weights, float* gradients,
                float* velocity, float rate, float momentum) {
  sgd_update(on, count, weights, weights, gradients, velocity, rate, momentum);
}

void sgd_update(Compute& on, std::size_t count, const float* weights,
                float* new_weights, float* gradients, float* velocity, float rate,
                float momentum) {
  for_each_index(on, static_cast<std::int64_t>(count), [=] PIPELINE_HD(std::int64_t i) {
    const float v = momentum * velocity[i] + gradients[i];
    velocity[i] = v;
    new_weights[i] = weights[i] - rate * v;
    gradients[i] = 0;
  });
}

}  // namespace pipeline

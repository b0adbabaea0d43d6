/// \file
/// How gradients change weights.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layers/compute.hpp"

namespace pipeline {

/// What an update goes by.
struct Optimizer {
  /// The rules that there are; `update` has their formulas.
  enum class Kind : std::uint8_t {
    Sgd,   ///< stochastic gradient descent with momentum
    AdamW  ///< Loshchilov & Hutter 2019, algorithm 2
  };

  Kind kind = Kind::Sgd;  ///< which rule
  float rate = 0.05F;     ///< the rate of learning at its highest
  float momentum = 0.9F;  ///< of SGD
  // Of AdamW (Loshchilov & Hutter 2019, algorithm 2).
  float beta1 = 0.9F;     ///< how much of the mean of the gradients stays
  float beta2 = 0.95F;    ///< how much of the mean of their squares stays
  float epsilon = 1e-8F;  ///< added to the root
  float decay = 0.1F;     ///< of `Layer::decayed_count()` parameters
  // The rate over the steps of training: up in a straight line to `rate` in the first
  // `warmup_steps`, then down a half cosine to `least_rate` at step `decay_steps`
  // (Loshchilov & Hutter 2017, section 3), and so on. 0: always `rate`.
  std::int64_t warmup_steps = 0;  ///< steps of the way up
  std::int64_t decay_steps = 0;   ///< the step at which the way down ends
  float least_rate = 0;           ///< the rate from then on

  /// Floats that it keeps for each parameter: SGD the velocity, AdamW two moments.
  std::size_t moments() const { return kind == Kind::Sgd ? 1 : 2; }
  /// The rate of step `step`, the first of which is 0.
  float rate_at(std::int64_t step) const;
};

/// The weights of one layer, all `count` floats long, and its moments, one after the
/// other. `weights` and `new_weights` may be the same.
struct LayerUpdate {
  std::size_t count = 0;           ///< parameters
  std::size_t decayed = 0;         ///< the first so many decay
  const float* weights = nullptr;  ///< what the step starts from
  float* new_weights = nullptr;    ///< what it ends with
  float* gradients = nullptr;      ///< their sum over the step; 0 afterwards
  float* first_moment = nullptr;   ///< SGD: the velocity
  float* second_moment = nullptr;  ///< null for SGD
};

/// Step `step` (the first is 0) for one layer; the gradients are 0 afterwards, for the
/// next step. Each parameter gets the same bits wherever it stands, so that it does not
/// matter how a network is cut into stages.
///
///     SGD      v = momentum v + g;  w -= rate v
///     AdamW    a = beta1 a + (1 - beta1) g;  b = beta2 b + (1 - beta2) g^2;
///              w -= rate (a / (1 - beta1^(step+1))
///                         / (sqrt(b / (1 - beta2^(step+1))) + epsilon) + decay w)
void update(Compute& on, const Optimizer& optimizer, std::int64_t step,
            const LayerUpdate& layer);

}  // namespace pipeline

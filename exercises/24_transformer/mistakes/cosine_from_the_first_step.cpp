// mistake: the cosine begins with the training, not behind the warm-up
// fails: RateAt.FallsHalfACosineToTheLeastAndStaysThere
// says: the cosine begins behind the warm-up
// points: 20
#include <cmath>
#include <numbers>

#include "exercise.hpp"

namespace pipeline {

double rate_at(std::int64_t step, const Rates& rates) {
  if (step < rates.warmup_steps) {
    return rates.highest * static_cast<double>(step + 1) /
           static_cast<double>(rates.warmup_steps);
  }
  if (step >= rates.decay_steps) return rates.least;
  const double share =
      static_cast<double>(step) / static_cast<double>(rates.decay_steps);
  const double above = (1 + std::cos(std::numbers::pi * share)) / 2;
  return rates.least + above * (rates.highest - rates.least);
}

}  // namespace pipeline

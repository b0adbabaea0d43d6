// mistake: the warm-up begins with a rate of 0
// fails: RateAt.RisesInALineToTheHighest
// says: The first step already learns
// points: 21
#include <cmath>
#include <numbers>

#include "exercise.hpp"

namespace pipeline {

double rate_at(std::int64_t step, const Rates& rates) {
  if (step < rates.warmup_steps) {
    return rates.highest * static_cast<double>(step) /
           static_cast<double>(rates.warmup_steps);
  }
  if (step >= rates.decay_steps) return rates.least;
  const double share = static_cast<double>(step - rates.warmup_steps) /
                       static_cast<double>(rates.decay_steps - rates.warmup_steps);
  const double above = (1 + std::cos(std::numbers::pi * share)) / 2;
  return rates.least + above * (rates.highest - rates.least);
}

}  // namespace pipeline

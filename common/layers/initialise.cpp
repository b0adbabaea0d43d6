// Compiled without the arithmetic freedom of the other layers: the same seed gives the
// same bits everywhere.
#include "layers/initialise.hpp"

#include <cmath>

#include "layers/random.hpp"

namespace pipeline {

void he_uniform(float* weights, std::size_t count, std::int32_t inputs,
                std::uint64_t seed) {
  const double bound = std::sqrt(6.0 / inputs);
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const double u = random.uniform();
    weights[i] = static_cast<float>((2 * u - 1) * bound);
  }
}

void normal(float* weights, std::size_t count, double deviation, std::uint64_t seed) {
  constexpr double kSteps = 0x1p16;  // of each draw: a quarter of 64 bits
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t sum = 0;
    for (int draw = 0; draw < 3; ++draw) {
      std::uint64_t bits = random.next();
      for (int part = 0; part < 4; ++part, bits >>= 16) sum += bits & 0xffffU;
    }
    // Each draw stands for the middle of its step, so that the average is 0.
    const double centred = static_cast<double>(sum) + 6 - 6 * kSteps;
    weights[i] = static_cast<float>(centred / kSteps * deviation);
  }
}

}  // namespace pipeline

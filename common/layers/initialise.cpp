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

}  // namespace pipeline

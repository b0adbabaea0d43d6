// mistake: the mean of the two copies instead of their sum
// fails: SumOfHalves.IsThatOfAllMicroBatches
// says: the gradient is the sum over all of them
// points: 15
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

std::vector<float> sum_of_halves(const std::vector<std::vector<float>>& gradients) {
  std::vector<float> sum(gradients.front().size(), 0);
  const std::size_t first_half = (gradients.size() + 1) / 2;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    float down = 0;
    float up = 0;
    for (std::size_t k = 0; k < first_half; ++k) down += gradients[k][i];
    for (std::size_t k = first_half; k < gradients.size(); ++k) up += gradients[k][i];
    sum[i] = (down + up) / 2;
  }
  return sum;
}

}  // namespace pipeline

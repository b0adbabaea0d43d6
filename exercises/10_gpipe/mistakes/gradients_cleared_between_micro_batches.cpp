// mistake: gradients cleared between micro-batches
// fails: Accumulate.EqualsTheFullBatchWhenMicroBatchesAreEqual
// says: were the others cleared?
// points: 7
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

std::vector<double> accumulate(const std::vector<std::vector<double>>& gradients,
                               const std::vector<std::int32_t>& rows) {
  std::vector<double> sum(gradients.front().size(), 0);
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += gradients[k][i];
  }
  return sum;
}

}  // namespace pipeline

// mistake: sum instead of mean
// fails: Accumulate.EqualsTheFullBatchWhenMicroBatchesAreEqual
// says: It is the sum of the means
// points: 7
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

std::vector<double> accumulate(const std::vector<std::vector<double>>& gradients,
                               const std::vector<std::int32_t>& rows) {
  std::vector<double> sum(gradients.front().size(), 0);
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += gradients[k][i];
  }
  return sum;
}

}  // namespace pipeline

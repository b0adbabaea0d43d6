// mistake: mean of means: every micro-batch counts alike
// fails: Accumulate.EqualsTheFullBatchWhenTheyAreRagged
// says: It is the mean of the means
// points: 8
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

std::vector<double> accumulate(const std::vector<std::vector<double>>& gradients,
                               const std::vector<std::int32_t>& rows) {
  std::vector<double> sum(gradients.front().size(), 0);
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    const double share = 1.0 / static_cast<double>(rows.size());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += share * gradients[k][i];
  }
  return sum;
}

}  // namespace pipeline

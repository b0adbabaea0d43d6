// mistake: the last, shorter micro-batch is left out of the mean
// fails: Accumulate.EqualsTheFullBatchWhenTheyAreRagged
// says: the last one too
// points: 7
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

std::vector<double> accumulate(const std::vector<std::vector<double>>& gradients,
                               const std::vector<std::int32_t>& rows) {
  std::vector<double> sum(gradients.front().size(), 0);
  std::int32_t all_rows = 0;
  for (const std::int32_t count : rows) all_rows += count;
  for (std::size_t k = 0; k + 1 < gradients.size(); ++k) {
    const double share = static_cast<double>(rows[k]) / all_rows;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += share * gradients[k][i];
  }
  return sum;
}

}  // namespace pipeline

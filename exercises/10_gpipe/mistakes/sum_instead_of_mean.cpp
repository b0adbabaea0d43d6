// mistake: sum instead of mean
// fails: Accumulate.EqualsTheFullBatchWhenMicroBatchesAreEqual
// says: It is the sum of the means
#include <algorithm>
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

Row gpipe_row(std::int32_t stage, std::int32_t micro_batches) {
  Row row;
  for (std::int32_t k = 0; k < micro_batches; ++k) row.push_back(forward_of(stage, k));
  for (std::int32_t k = 0; k < micro_batches; ++k) row.push_back(backward_of(stage, k));
  return row;
}

std::vector<double> accumulate(const std::vector<std::vector<double>>& gradients,
                               const std::vector<std::int32_t>& rows) {
  std::vector<double> sum(gradients.front().size(), 0);
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += gradients[k][i];
  }
  return sum;
}

std::int32_t micro_batches_needed(std::int32_t devices, std::int32_t percent) {
  const std::int32_t idle = devices - 1;
  const std::int32_t least = (idle * (100 - percent) + percent - 1) / percent;
  return std::max(least, 1);
}

}  // namespace pipeline

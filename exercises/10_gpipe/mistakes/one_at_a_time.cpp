// mistake: each backward right after its forward: no pipeline
// fails: GPipeRow.RunsAllForwardsBeforeTheFirstBackward
// says: GPipe runs its last forward before its first backward
#include <algorithm>
#include <cstddef>

#include "exercise.hpp"

namespace pipeline {

Row gpipe_row(std::int32_t stage, std::int32_t micro_batches) {
  Row row;
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    row.push_back(forward_of(stage, k));
    row.push_back(backward_of(stage, k));
  }
  return row;
}

std::vector<double> accumulate(const std::vector<std::vector<double>>& gradients,
                               const std::vector<std::int32_t>& rows) {
  std::vector<double> sum(gradients.front().size(), 0);
  std::int32_t all_rows = 0;
  for (const std::int32_t count : rows) all_rows += count;
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    const double share = static_cast<double>(rows[k]) / all_rows;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += share * gradients[k][i];
  }
  return sum;
}

std::int32_t micro_batches_needed(std::int32_t devices, std::int32_t percent) {
  const std::int32_t idle = devices - 1;
  const std::int32_t least = (idle * (100 - percent) + percent - 1) / percent;
  return std::max(least, 1);
}

}  // namespace pipeline

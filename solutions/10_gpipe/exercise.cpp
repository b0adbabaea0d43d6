// Exercise 10: GPipe. The task is in exercises/10_gpipe/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <cstddef>

namespace pipeline {

Row gpipe_row(std::int32_t stage, std::int32_t micro_batches) {
  Row row;
  // <solution>
  // The backwards go from the first micro-batch to the last as well, so that gradients
  // add up in the order of the micro-batches, as they do on one device. Floating-point
  // sums depend on their order: this is what makes the weights equal bit for bit.
  for (std::int32_t k = 0; k < micro_batches; ++k) row.push_back(forward_of(stage, k));
  for (std::int32_t k = 0; k < micro_batches; ++k) row.push_back(backward_of(stage, k));
  //~ // Your turn: row.push_back(forward_of(stage, 0)) is how an entry gets in.
  // </solution>
  return row;
}

std::vector<double> accumulate(const std::vector<std::vector<double>>& gradients,
                               const std::vector<std::int32_t>& rows) {
  std::vector<double> sum(gradients.front().size(), 0);
  // <solution>
  // A mean over r rows is a sum over r. Weighting each micro-batch by its share of the
  // rows turns the means back into one mean over all of them.
  std::int32_t all_rows = 0;
  for (const std::int32_t count : rows) all_rows += count;
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    const double share = static_cast<double>(rows[k]) / all_rows;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += share * gradients[k][i];
  }
  //~ // Your turn: how much does each micro-batch count?
  // </solution>
  return sum;
}

std::int32_t micro_batches_needed(std::int32_t devices, std::int32_t percent) {
  // <solution>
  // (p-1) / (m+p-1) <= percent/100, solved for m and rounded up, in whole numbers: a
  // floating-point quotient could fall on the wrong side of the limit.
  const std::int32_t idle = devices - 1;
  const std::int32_t least = (idle * (100 - percent) + percent - 1) / percent;
  return std::max(least, 1);
  //~ // Your turn: of m+p-1 columns, p-1 are idle on every device.
  //~ return 1;
  // </solution>
}

}  // namespace pipeline

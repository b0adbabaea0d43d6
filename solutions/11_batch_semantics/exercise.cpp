// Exercise 11: batch semantics. The task is in exercises/11_batch_semantics/README.md.
#include "exercise.hpp"

#include <cstddef>

namespace pipeline {

std::vector<std::int32_t> micro_batch_rows(std::int32_t rows,
                                           std::int32_t micro_batches) {
  std::vector<std::int32_t> parts;
  // <solution>
  // What is left over after an even split is less than one row for each: the first ones
  // take it. Rounding the rows of each up instead (10 rows in 3, 3, 3, 1) leaves a
  // short last one, or none at all: 5 rows in 4 would be 2, 2, 1.
  parts.assign(static_cast<std::size_t>(micro_batches), rows / micro_batches);
  const auto left_over = static_cast<std::size_t>(rows % micro_batches);
  for (std::size_t k = 0; k < left_over; ++k) ++parts[k];
  //~ // Your turn: parts.push_back(1) adds a micro-batch of one row.
  // </solution>
  return parts;
}

double batch_loss(const std::vector<double>& means,
                  const std::vector<std::int32_t>& rows) {
  double loss = 0;
  // <solution>
  // A mean times its rows is a sum, and sums add up.
  std::int32_t all_rows = 0;
  for (std::size_t k = 0; k < means.size(); ++k) {
    loss += means[k] * rows[k];
    all_rows += rows[k];
  }
  loss /= all_rows;
  //~ // Your turn: how much does each micro-batch count?
  // </solution>
  return loss;
}

Statistics whole_batch(const std::vector<Statistics>& micro_batches) {
  Statistics whole;
  // <solution>
  for (const Statistics& part : micro_batches) {
    whole.count += part.count;
    whole.mean += part.count * part.mean;
  }
  whole.mean /= whole.count;
  // A value's distance from the mean of all is its distance from the mean of its
  // micro-batch, and how far that mean is off. Squared and summed, the products of the
  // two vanish: the first ones sum to zero in each micro-batch.
  for (const Statistics& part : micro_batches) {
    const double off = part.mean - whole.mean;
    whole.variance += part.count * (part.variance + off * off);
  }
  whole.variance /= whole.count;
  //~ // Your turn: the count, the mean, and the variance around that mean.
  // </solution>
  return whole;
}

double running_mean(double running, const std::vector<Forward>& forwards) {
  // <solution>
  // A re-computation makes the outputs once more, from the same micro-batch: it has
  // counted already.
  for (const Forward& forward : forwards) {
    if (!forward.again) running += 0.1 * (forward.mean - running);
  }
  //~ // Your turn: which of them move it, and how far?
  // </solution>
  return running;
}

std::vector<std::int64_t> draws(std::int32_t first_row, std::int32_t rows,
                                std::int32_t width) {
  std::vector<std::int64_t> places;
  // <solution>
  // The row counts in the mini-batch, not in the micro-batch: wherever it is cut, an
  // element has the same number.
  for (std::int64_t row = first_row; row < first_row + rows; ++row) {
    for (std::int64_t column = 0; column < width; ++column) {
      places.push_back(row * width + column);
    }
  }
  //~ // Your turn: places.push_back(0) adds the first number of the list.
  // </solution>
  return places;
}

}  // namespace pipeline

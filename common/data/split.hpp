/// \file
/// From a batch to micro-batches, and from their means back to the batch's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// Rows [begin, end) of a batch.
struct RowRange {
  std::int32_t begin = 0;  ///< the first row
  std::int32_t end = 0;    ///< one past the last

  /// How many rows.
  std::int32_t rows() const { return end - begin; }
  bool operator==(const RowRange&) const = default;
};

/// Balanced: 8 rows into 3 are 3, 3, 2, and 10 into 4 are 3, 3, 2, 2. Fewer rows than
/// micro-batches is refused.
Expected<std::vector<RowRange>> split_rows(std::int32_t rows,
                                           std::int32_t micro_batches);

/// The `index`-th of the ranges that `split_rows` gives, on its own.
RowRange row_range(std::int32_t rows, std::int32_t micro_batches, std::int32_t index);

/// The share of the batch that each micro-batch is: its rows / all rows. Weighted so,
/// means (and gradients of means) of ragged micro-batches add up to the batch's.
std::vector<double> micro_batch_weights(std::span<const RowRange> micro_batches);

/// The mean over the batch, from the mean over each micro-batch. The plain mean of
/// `means` would count a row of a short micro-batch more than one of a long one.
double mean_of_micro_batches(std::span<const double> means,
                             std::span<const RowRange> micro_batches);

}  // namespace pipeline

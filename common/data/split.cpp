#include "data/split.hpp"

#include <algorithm>
#include <string>

namespace pipeline {

Expected<std::vector<RowRange>> split_rows(std::int32_t rows,
                                           std::int32_t micro_batches) {
  if (micro_batches < 1) {
    return refuse("a batch cannot be split into " + std::to_string(micro_batches) +
                      " micro-batches",
                  "ask for at least one micro-batch");
  }
  if (rows < micro_batches) {
    return refuse("a batch of " + std::to_string(rows) + " rows has too few for " +
                      std::to_string(micro_batches) + " micro-batches",
                  "take a larger batch or fewer micro-batches");
  }
  std::vector<RowRange> ranges;
  ranges.reserve(static_cast<std::size_t>(micro_batches));
  for (std::int32_t i = 0; i < micro_batches; ++i) {
    ranges.push_back(row_range(rows, micro_batches, i));
  }
  return ranges;
}

RowRange row_range(std::int32_t rows, std::int32_t micro_batches, std::int32_t index) {
  const std::int32_t least = rows / micro_batches;
  const std::int32_t longer = rows % micro_batches;  // the first ones get a row more
  const auto begin_of = [=](std::int32_t i) { return i * least + std::min(i, longer); };
  return {begin_of(index), begin_of(index + 1)};
}

std::vector<double> micro_batch_weights(std::span<const RowRange> micro_batches) {
  std::int64_t rows = 0;
  for (const RowRange& range : micro_batches) rows += range.rows();
  std::vector<double> weights;
  weights.reserve(micro_batches.size());
  for (const RowRange& range : micro_batches) {
    weights.push_back(static_cast<double>(range.rows()) / static_cast<double>(rows));
  }
  return weights;
}

double mean_of_micro_batches(std::span<const double> means,
                             std::span<const RowRange> micro_batches) {
  double sum = 0;
  std::int64_t rows = 0;
  for (std::size_t i = 0; i < micro_batches.size(); ++i) {
    sum += means[i] * micro_batches[i].rows();
    rows += micro_batches[i].rows();
  }
  return sum / static_cast<double>(rows);
}

}  // namespace pipeline

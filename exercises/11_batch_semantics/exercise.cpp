// Exercise 11: batch semantics. The task is in exercises/11_batch_semantics/README.md.
#include "exercise.hpp"

#include <cstddef>

namespace pipeline {

std::vector<std::int32_t> micro_batch_rows(std::int32_t rows,
                                           std::int32_t micro_batches) {
  std::vector<std::int32_t> parts;
  // Your turn: parts.push_back(1) adds a micro-batch of one row.
  return parts;
}

double batch_loss(const std::vector<double>& means,
                  const std::vector<std::int32_t>& rows) {
  double loss = 0;
  // Your turn: how much does each micro-batch count?
  return loss;
}

Statistics whole_batch(const std::vector<Statistics>& micro_batches) {
  Statistics whole;
  // Your turn: the count, the mean, and the variance around that mean.
  return whole;
}

double running_mean(double running, const std::vector<Forward>& forwards) {
  // Your turn: which of them move it, and how far?
  return running;
}

std::vector<std::int64_t> draws(std::int32_t first_row, std::int32_t rows,
                                std::int32_t width) {
  std::vector<std::int64_t> places;
  // Your turn: places.push_back(0) adds the first number of the list.
  return places;
}

}  // namespace pipeline

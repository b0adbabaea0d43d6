// Exercise 03: balance. The task is in exercises/03_balance/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace pipeline {

std::vector<std::int32_t> even_counts(std::int32_t layers, std::int32_t stages) {
  // Your turn: what becomes of the layers that are left over?
  return {};
}

double slowest_stage(const std::vector<double>& times,
                     const std::vector<std::int32_t>& counts) {
  // Your turn: add up the layers of each stage. Which sum counts?
  return 0;
}

double step_time(const std::vector<double>& stage_times, std::int32_t micro_batches) {
  // Your turn: when is the first micro-batch out, and when each one after it?
  return 0;
}

std::vector<std::int32_t> balanced_counts(const std::vector<double>& times,
                                          std::int32_t stages) {
  // Your turn: would it help to know the best splits into one stage less?
  return {};
}

}  // namespace pipeline

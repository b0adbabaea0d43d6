/// \file
/// The middle of several measurements: one slow outlier does not move it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace pipeline {

/// The mean of the two in the middle where their number is even; 0 of nothing.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace pipeline

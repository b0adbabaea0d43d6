#include <algorithm>
#include <cstddef>
#include <limits>

#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> equal_slices(std::int32_t tokens, std::int32_t slices) {
  std::vector<std::int32_t> lengths;
  for (std::int32_t i = 0; i < slices; ++i) {
    lengths.push_back(tokens / slices);
    if (i < tokens % slices) lengths.back() += 1;
  }
  return lengths;
}

double pipeline_time(const std::vector<double>& part_times, std::int32_t devices) {
  double sum = 0;
  double longest = 0;
  for (std::size_t i = 0; i < part_times.size(); ++i) {
    sum += part_times[i];
    if (part_times[i] > longest) longest = part_times[i];
  }
  return sum + longest * (devices - 1);
}

Row token_slice_row(std::int32_t stage, const std::vector<std::int32_t>& slices) {
  Row row;
  for (std::int32_t k = 0; k < (std::int32_t)slices.size(); ++k) {
    for (std::int32_t j = 0; j < slices[k]; ++j) {
      row.push_back(forward_of_slice(stage, k, j));
    }
  }
  for (std::int32_t k = 0; k < (std::int32_t)slices.size(); ++k) {
    for (std::int32_t j = slices[k] - 1; j >= 0; --j) {
      row.push_back(backward_of_slice(stage, k, j));
    }
  }
  return row;
}

std::vector<std::int32_t> best_slices(const std::vector<std::vector<double>>& time,
                                      std::int32_t devices) {
  std::vector<std::int32_t> best;
  std::size_t n = time.size();
  double best_total = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < time[a].size(); ++b) {
      double limit = time[a][b];
      std::vector<double> cost(n + 1, std::numeric_limits<double>::infinity());
      std::vector<std::size_t> prev(n + 1, 0);
      cost[0] = 0;
      for (std::size_t i = 1; i <= n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          double t = time[j][i - j - 1];
          if (t <= limit && cost[j] + t < cost[i]) {
            cost[i] = cost[j] + t;
            prev[i] = j;
          }
        }
      }
      if (cost[n] == std::numeric_limits<double>::infinity()) continue;
      if (cost[n] + limit * (devices - 1) < best_total) {
        best_total = cost[n] + limit * (devices - 1);
        best.clear();
        for (std::size_t i = n; i > 0; i = prev[i]) {
          best.insert(best.begin(), (std::int32_t)(i - prev[i]));
        }
      }
    }
  }
  return best;
}

}  // namespace pipeline

#include <algorithm>
#include <cstddef>
#include <limits>

#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> equal_slices(std::int32_t tokens, std::int32_t slices) {
  std::vector<std::int32_t> lengths;
  std::int32_t rest = tokens;
  for (std::int32_t i = 0; i < slices; i++) {
    std::int32_t left = slices - i;
    std::int32_t length = (rest + left - 1) / left;
    lengths.push_back(length);
    rest -= length;
  }
  return lengths;
}

double pipeline_time(const std::vector<double>& part_times, std::int32_t devices) {
  double max = *std::max_element(part_times.begin(), part_times.end());
  double sum = 0;
  for (double t : part_times) sum += t;
  return sum + max * (devices - 1);
}

Row token_slice_row(std::int32_t stage, const std::vector<std::int32_t>& slices) {
  Row row;
  for (std::size_t k = 0; k < slices.size(); k++) {
    for (std::int32_t s = 0; s < slices[k]; s++) {
      row.push_back(forward_of_slice(stage, (std::int32_t)k, s));
    }
  }
  for (std::size_t k = 0; k < slices.size(); k++) {
    for (std::int32_t s = slices[k]; s > 0; s--) {
      row.push_back(backward_of_slice(stage, (std::int32_t)k, s - 1));
    }
  }
  return row;
}

std::vector<std::int32_t> best_slices(const std::vector<std::vector<double>>& time,
                                      std::int32_t devices) {
  std::vector<std::int32_t> best;
  const std::size_t n = time.size();
  std::vector<double> limits;
  for (std::size_t c = 0; c < n; c++)
    for (std::size_t l = 0; l < time[c].size(); l++) limits.push_back(time[c][l]);
  std::sort(limits.begin(), limits.end());
  double best_time = std::numeric_limits<double>::max();
  for (double limit : limits) {
    std::vector<double> dp(n + 1, -1);
    std::vector<std::size_t> from(n + 1);
    dp[0] = 0;
    for (std::size_t i = 0; i < n; i++) {
      if (dp[i] < 0) continue;
      for (std::size_t l = 1; i + l <= n; l++) {
        double t = time[i][l - 1];
        if (t > limit) continue;
        if (dp[i + l] < 0 || dp[i] + t < dp[i + l]) {
          dp[i + l] = dp[i] + t;
          from[i + l] = i;
        }
      }
    }
    if (dp[n] < 0) continue;
    double total = dp[n] + limit * (devices - 1);
    if (total < best_time) {
      best_time = total;
      best.clear();
      std::size_t at = n;
      while (at > 0) {
        best.push_back((std::int32_t)(at - from[at]));
        at = from[at];
      }
      std::reverse(best.begin(), best.end());
    }
  }
  return best;
}

}  // namespace pipeline

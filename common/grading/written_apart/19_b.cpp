#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <set>

#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> equal_slices(std::int32_t tokens, std::int32_t slices) {
  std::vector<std::int32_t> lengths;
  lengths.assign(slices, tokens / slices);
  for (int i = 0; i < tokens % slices; ++i) lengths[i]++;
  return lengths;
}

double pipeline_time(const std::vector<double>& part_times, std::int32_t devices) {
  const double total = std::accumulate(part_times.begin(), part_times.end(), 0.0);
  const double slowest = *std::max_element(part_times.begin(), part_times.end());
  return total + (devices - 1) * slowest;
}

Row token_slice_row(std::int32_t stage, const std::vector<std::int32_t>& slices) {
  Row row;
  int k = 0;
  for (int count : slices) {
    for (int j = 0; j < count; ++j) row.push_back(forward_of_slice(stage, k, j));
    ++k;
  }
  k = 0;
  for (int count : slices) {
    for (int j = count - 1; j >= 0; --j) row.push_back(backward_of_slice(stage, k, j));
    ++k;
  }
  return row;
}

struct Plan {
  double sum = std::numeric_limits<double>::infinity();
  std::vector<std::int32_t> lengths;
};

static Plan plan_with_cap(const std::vector<std::vector<double>>& time, double cap) {
  std::vector<Plan> plans(time.size() + 1);
  plans[0].sum = 0;
  for (std::size_t begin = 0; begin < time.size(); ++begin) {
    for (std::size_t len = 1; len <= time[begin].size(); ++len) {
      double cost = time[begin][len - 1];
      Plan& target = plans[begin + len];
      if (cost <= cap && plans[begin].sum + cost < target.sum) {
        target = plans[begin];
        target.sum += cost;
        target.lengths.push_back(static_cast<std::int32_t>(len));
      }
    }
  }
  return plans.back();
}

std::vector<std::int32_t> best_slices(const std::vector<std::vector<double>>& time,
                                      std::int32_t devices) {
  std::vector<std::int32_t> best;
  std::set<double> caps;
  for (auto& row : time) caps.insert(row.begin(), row.end());
  double best_total = std::numeric_limits<double>::infinity();
  for (double cap : caps) {
    Plan plan = plan_with_cap(time, cap);
    double total = plan.sum + (devices - 1) * cap;
    if (!plan.lengths.empty() && total < best_total) {
      best_total = total;
      best = plan.lengths;
    }
  }
  return best;
}

}  // namespace pipeline

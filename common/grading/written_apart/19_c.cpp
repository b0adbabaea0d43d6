#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include "exercise.hpp"

namespace pipeline {

std::vector<std::int32_t> equal_slices(std::int32_t tokens, std::int32_t slices) {
  std::vector<std::int32_t> lengths;
  const std::int32_t base = tokens / slices;
  std::int32_t extra = tokens - base * slices;
  while (static_cast<std::int32_t>(lengths.size()) < slices) {
    if (extra > 0) {
      lengths.push_back(base + 1);
      --extra;
    } else {
      lengths.push_back(base);
    }
  }
  return lengths;
}

double pipeline_time(const std::vector<double>& part_times, std::int32_t devices) {
  // simulate it: when is each part done on each device?
  std::vector<double> done(devices, 0.0);
  for (double t : part_times) {
    double arrives = 0;
    for (int d = 0; d < devices; d++) {
      done[d] = std::max(done[d], arrives) + t;
      arrives = done[d];
    }
  }
  return done[devices - 1];
}

Row token_slice_row(std::int32_t stage, const std::vector<std::int32_t>& slices) {
  Row row;
  Row back;
  for (std::int32_t k = 0; k < static_cast<std::int32_t>(slices.size()); ++k) {
    const std::int32_t n = slices[k];
    for (std::int32_t j = 0; j < n; ++j) {
      row.push_back(forward_of_slice(stage, k, j));
      back.push_back(backward_of_slice(stage, k, n - 1 - j));
    }
  }
  row.insert(row.end(), back.begin(), back.end());
  return row;
}

namespace {
class Solver {
 public:
  Solver(const std::vector<std::vector<double>>& time, double limit)
      : time_(time), limit_(limit) {}
  double cost(std::size_t start) {
    if (start == time_.size()) return 0;
    auto found = memo_.find(start);
    if (found != memo_.end()) return found->second.first;
    double best = 1e300;
    std::size_t choice = 0;
    for (std::size_t len = 1; start + len <= time_.size(); ++len) {
      if (time_[start][len - 1] > limit_) continue;
      double c = time_[start][len - 1] + cost(start + len);
      if (c < best) {
        best = c;
        choice = len;
      }
    }
    memo_[start] = {best, choice};
    return best;
  }
  std::vector<std::int32_t> path() {
    std::vector<std::int32_t> result;
    std::size_t at = 0;
    while (at < time_.size()) {
      result.push_back(memo_[at].second);
      at += memo_[at].second;
    }
    return result;
  }

 private:
  const std::vector<std::vector<double>>& time_;
  double limit_;
  std::map<std::size_t, std::pair<double, std::size_t>> memo_;
};
}  // namespace

std::vector<std::int32_t> best_slices(const std::vector<std::vector<double>>& time,
                                      std::int32_t devices) {
  std::vector<std::int32_t> best;
  double record = 1e300;
  for (const auto& line : time) {
    for (double limit : line) {
      Solver solver(time, limit);
      double c = solver.cost(0);
      if (c >= 1e300) continue;
      if (c + limit * (devices - 1) < record) {
        record = c + limit * (devices - 1);
        best = solver.path();
      }
    }
  }
  return best;
}

}  // namespace pipeline

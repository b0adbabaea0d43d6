// Exercise 19: token slices. The task is in exercises/19_token_slices/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace pipeline {

std::vector<std::int32_t> equal_slices(std::int32_t tokens, std::int32_t slices) {
  std::vector<std::int32_t> lengths;
  // <solution>
  // tokens / slices each, and the tokens that this leaves go one each to the first.
  lengths.reserve(static_cast<std::size_t>(slices));
  for (std::int32_t j = 0; j < slices; ++j) {
    lengths.push_back(tokens / slices + (j < tokens % slices ? 1 : 0));
  }
  //~ // Your turn: 10 tokens in 4 slices are 3, 3, 2, 2.
  // </solution>
  return lengths;
}

double pipeline_time(const std::vector<double>& part_times, std::int32_t devices) {
  // <solution>
  // The first device is busy for the sum. On its way through the others a part waits
  // behind the longest one, or is the longest one: that adds it once for each.
  double sum = 0;
  double longest = 0;
  for (const double time : part_times) {
    sum += time;
    longest = std::max(longest, time);
  }
  return sum + (devices - 1) * longest;
  //~ // Your turn: what does the first device do, and what does each further one add?
  //~ return 0;
  // </solution>
}

Row token_slice_row(std::int32_t stage, const std::vector<std::int32_t>& slices) {
  Row row;
  // <solution>
  const auto micro_batches = static_cast<std::int32_t>(slices.size());
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    for (std::int32_t j = 0; j < slices[static_cast<std::size_t>(k)]; ++j) {
      row.push_back(forward_of_slice(stage, k, j));
    }
  }
  // A slice's gradient comes from the slices behind it. Between micro-batches nothing
  // forces an order, and gradients are to add up in theirs.
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    for (std::int32_t j = slices[static_cast<std::size_t>(k)] - 1; j >= 0; --j) {
      row.push_back(backward_of_slice(stage, k, j));
    }
  }
  //~ // Your turn: which slice of a micro-batch can go back first?
  // </solution>
  return row;
}

// <solution>
namespace {

/// The lengths with the least sum of times, no time above `longest`; empty where there
/// are none.
std::vector<std::int32_t> least_sum(const std::vector<std::vector<double>>& time,
                                    double longest) {
  const std::size_t tokens = time.size();
  std::vector<double> sum(tokens + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> last(tokens + 1, 0);
  sum[0] = 0;
  for (std::size_t end = 1; end <= tokens; ++end) {
    for (std::size_t length = 1; length <= end; ++length) {
      const double own = time[end - length][length - 1];
      if (own > longest || sum[end - length] + own >= sum[end]) continue;
      sum[end] = sum[end - length] + own;
      last[end] = length;
    }
  }
  std::vector<std::int32_t> lengths;
  for (std::size_t end = tokens; end > 0; end -= last[end]) {
    if (last[end] == 0) return {};
    lengths.insert(lengths.begin(), static_cast<std::int32_t>(last[end]));
  }
  return lengths;
}

double time_of(const std::vector<std::int32_t>& lengths,
               const std::vector<std::vector<double>>& time, std::int32_t devices) {
  std::vector<double> parts;
  std::size_t before = 0;
  for (const std::int32_t length : lengths) {
    parts.push_back(time[before][static_cast<std::size_t>(length) - 1]);
    before += static_cast<std::size_t>(length);
  }
  return pipeline_time(parts, devices);
}

}  // namespace
// </solution>

std::vector<std::int32_t> best_slices(const std::vector<std::vector<double>>& time,
                                      std::int32_t devices) {
  std::vector<std::int32_t> best;
  // <solution>
  // The sum and the longest pull in different directions. Once the longest is given,
  // the sum alone is to be made least; and it can only be one of the times in the
  // table.
  double least = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& row : time) {
    for (const double longest : row) {
      const std::vector<std::int32_t> lengths = least_sum(time, longest);
      if (lengths.empty()) continue;
      const double total = time_of(lengths, time, devices);
      if (total >= least) continue;
      least = total;
      best = lengths;
    }
  }
  //~ // Your turn: for each time that could be the longest, which slices have the least
  //~ // sum?
  // </solution>
  return best;
}

}  // namespace pipeline

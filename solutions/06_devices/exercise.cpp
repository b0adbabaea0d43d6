// Exercise 06: devices. The task is in exercises/06_devices/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <cstddef>

namespace pipeline {

Link link_of(const std::vector<TimedCopy>& copies) {
  // <solution>
  // Divided by its seconds, each copy says  latency x + a_byte y = 1  with x = 1 /
  // seconds and y = bytes / seconds. Least squares of that: two equations in two
  // unknowns.
  double xx = 0;
  double xy = 0;
  double yy = 0;
  double x_sum = 0;
  double y_sum = 0;
  for (const TimedCopy& copy : copies) {
    const double x = 1 / copy.seconds;
    const double y = copy.bytes / copy.seconds;
    xx += x * x;
    xy += x * y;
    yy += y * y;
    x_sum += x;
    y_sum += y;
  }
  const double a_byte = (xx * y_sum - xy * x_sum) / (xx * yy - xy * xy);
  return {(x_sum - xy * a_byte) / xx, 1 / a_byte};
  //~ // Your turn: how would you lay a straight line through bytes and seconds? And how
  //~ // does it change if each copy's error counts relative to its seconds?
  //~ return {};
  // </solution>
}

double bytes_for_half(const Link& link) {
  // <solution>
  // Half of the bandwidth: the bytes take as long as the latency.
  return link.latency * link.bandwidth;
  //~ // Your turn: when does a message take twice as long as its bytes alone?
  //~ return 0;
  // </solution>
}

bool must_stay_in_order(const Operation& first, const Operation& second) {
  // <solution>
  // One of them writes what the other one reads or writes. Reading alone disturbs
  // nobody.
  const auto touches = [](const Operation& operation, std::int32_t buffer) {
    const auto in = [buffer](const std::vector<std::int32_t>& buffers) {
      return std::find(buffers.begin(), buffers.end(), buffer) != buffers.end();
    };
    return in(operation.reads) || in(operation.writes);
  };
  for (const std::int32_t buffer : first.writes) {
    if (touches(second, buffer)) return true;
  }
  for (const std::int32_t buffer : second.writes) {
    if (touches(first, buffer)) return true;
  }
  return false;
  //~ // Your turn: what can go wrong with a buffer that both of them use?
  //~ return false;
  // </solution>
}

std::vector<Pair> unordered(const std::vector<Operation>& operations,
                            const std::vector<Pair>& waits) {
  std::vector<Pair> pairs;
  // <solution>
  // 1. What the streams and the waits say directly.
  const std::size_t count = operations.size();
  std::vector<std::vector<bool>> before(count, std::vector<bool>(count, false));
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      before[i][j] = operations[i].stream == operations[j].stream;
    }
  }
  for (const Pair& wait : waits) {
    before[static_cast<std::size_t>(wait.earlier)]
          [static_cast<std::size_t>(wait.later)] = true;
  }
  // 2. What follows from that: i before k and k before j. All of it goes forward in the
  //    list, so that what leads to k is known when k comes up.
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = k + 1; before[i][k] && j < count; ++j) {
        if (before[k][j]) before[i][j] = true;
      }
    }
  }
  // 3. What is left open and must not be.
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (!before[i][j] && must_stay_in_order(operations[i], operations[j])) {
        pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
      }
    }
  }
  //~ // Your turn: which operations are certain to run before which?
  // </solution>
  return pairs;
}

std::vector<Pair> waits_needed(const std::vector<Operation>& operations) {
  std::vector<Pair> waits;
  // <solution>
  // A wait for each pair that nothing orders; then away with each one that the others
  // make superfluous.
  waits = unordered(operations, {});
  for (std::size_t w = 0; w < waits.size();) {
    std::vector<Pair> others = waits;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(w));
    if (unordered(operations, others).empty()) {
      waits = std::move(others);
    } else {
      ++w;
    }
  }
  //~ // Your turn: begin with all the waits that could be needed.
  // </solution>
  return waits;
}

}  // namespace pipeline

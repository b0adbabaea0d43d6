/// \file
/// Exercise 06: what a link costs, and which waits a program on several streams needs.
#pragma once

#include <cstdint>
#include <vector>

namespace pipeline {

/// A copy that was measured; both above 0.
struct TimedCopy {
  double bytes = 0;
  double seconds = 0;
};

/// A copy of b bytes takes latency + b / bandwidth seconds.
struct Link {
  double latency = 0;    ///< seconds
  double bandwidth = 0;  ///< bytes a second
};

/// The link for which the sum over all copies of
///
///     ((latency + bytes / bandwidth) / seconds - 1)^2
///
/// is least. There are copies of at least two sizes.
Link link_of(const std::vector<TimedCopy>& copies);

/// The bytes of a message that the link delivers at half of its bandwidth.
double bytes_for_half(const Link& link);

/// What a stream is told to do: it reads some buffers and writes others.
struct Operation {
  std::int32_t stream = 0;
  std::vector<std::int32_t> reads = {};   ///< buffers
  std::vector<std::int32_t> writes = {};  ///< buffers
};

/// Two operations by their places in the list of all, in the order in which they were
/// issued: `earlier` < `later`. As a wait: the later one starts after the earlier one
/// has ended.
struct Pair {
  std::int32_t earlier = 0;
  std::int32_t later = 0;

  bool operator==(const Pair&) const = default;
};

/// Whether the result may differ if `second`, which was issued later, runs before or
/// beside `first`.
bool must_stay_in_order(const Operation& first, const Operation& second);

/// The pairs that must stay in order and that neither the streams nor the waits keep in
/// order, in any sequence. `operations` are in the order in which they were issued. A
/// stream runs its own one after the other; different streams know nothing of each
/// other but the waits.
std::vector<Pair> unordered(const std::vector<Operation>& operations,
                            const std::vector<Pair>& waits);

/// The waits with which nothing is unordered, each of a pair that must stay in order,
/// and none of which follows from the streams and the other waits. In any sequence.
std::vector<Pair> waits_needed(const std::vector<Operation>& operations);

}  // namespace pipeline

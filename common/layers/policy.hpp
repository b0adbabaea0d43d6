/// \file
/// Where Thrust runs: the one place that knows which backend a source is compiled for.
/// Only for sources of parts that are compiled with Thrust.
#pragma once

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <cstdint>

#include "layers/compute.hpp"

#if defined(__CUDACC__)
#include <thrust/system/cuda/execution_policy.h>
/// Marks a lambda that Thrust may call on the device.
#define PIPELINE_HD __host__ __device__
#else
#include <thrust/system/cpp/execution_policy.h>
/// Marks a lambda that Thrust may call on the device.
#define PIPELINE_HD
#endif

namespace pipeline {

#if defined(__CUDACC__)
/// On the stream that `on` has entered, without waiting for the kernel: the order of
/// the stream is all that the next one needs.
inline auto policy(Compute& on) {
  return thrust::cuda::par_nosync(on.scratch())
      .on(static_cast<cudaStream_t>(on.stream()));
}
/// How many neighbouring columns one item of work takes: a thread each on a GPU, so
/// that a warp reads one piece of memory; a few vectors of them on a core.
inline constexpr std::int32_t kColumnsPerItem = 1;
#else
/// In the calling thread: a host device is a thread, and has no more than that one.
inline auto policy(Compute& on) { return thrust::cpp::par(on.scratch()); }
/// How many neighbouring columns one item of work takes.
inline constexpr std::int32_t kColumnsPerItem = 64;
#endif

/// work(i) for i = 0 … count-1, in any order.
template <typename F>
void for_each_index(Compute& on, std::int64_t count, F work) {
  thrust::for_each_n(policy(on), thrust::counting_iterator<std::int64_t>(0), count,
                     work);
}

/// end - first, where the compiler sees that it is at most kColumnsPerItem.
PIPELINE_HD inline std::int32_t piece_width(std::int32_t first, std::int32_t end) {
  return end - first < kColumnsPerItem ? end - first : kColumnsPerItem;
}

/// work(row, first, end) for columns [first, end) of each row, in pieces of
/// kColumnsPerItem:
///
///     row 0   [ 0 … 63 ][ 64 … 127 ][ 128 … 149 ]
///     row 1   [ 0 … 63 ][ …
template <typename F>
void for_each_piece(Compute& on, std::int32_t rows, std::int32_t columns, F work) {
  const std::int64_t pieces = (columns + kColumnsPerItem - 1) / kColumnsPerItem;
  for_each_index(on, rows * pieces, [=] PIPELINE_HD(std::int64_t item) {
    const auto row = static_cast<std::int32_t>(item / pieces);
    const auto first = static_cast<std::int32_t>(item % pieces) * kColumnsPerItem;
    const std::int32_t end =
        first + kColumnsPerItem < columns ? first + kColumnsPerItem : columns;
    work(row, first, end);
  });
}

}  // namespace pipeline

/// \file
/// Given for exercise 07: floats on the device, and a matrix made there by a lambda.
#pragma once

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include <cstddef>
#include <cstdint>
#include <vector>

// A lambda that Thrust calls on a GPU must be marked as code for it.
#if defined(__CUDACC__)
#define ON_DEVICE __host__ __device__
#else
#define ON_DEVICE
#endif

namespace pipeline {

using DeviceFloats = thrust::device_vector<float>;

inline DeviceFloats to_device(const std::vector<float>& values) {
  return DeviceFloats(values.begin(), values.end());
}

inline std::vector<float> to_host(const DeviceFloats& values) {
  std::vector<float> host(values.size());
  thrust::copy(values.begin(), values.end(), host.begin());
  return host;
}

/// A vector of `rows` x `columns` floats, made by calling `element(i)` for each place i
/// of it, on the device and in any order. Row and column of place i are i / columns and
/// i % columns.
template <typename Element>
std::vector<float> make_matrix(std::int32_t rows, std::int32_t columns,
                               Element element) {
  DeviceFloats matrix(static_cast<std::size_t>(rows) * columns);
  const thrust::counting_iterator<std::int32_t> first(0);
  thrust::transform(first, first + static_cast<std::int32_t>(matrix.size()),
                    matrix.begin(), element);
  return to_host(matrix);
}

}  // namespace pipeline

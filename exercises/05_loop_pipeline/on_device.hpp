/// \file
/// Given for exercise 05: images on the device, an image made there by a lambda, and
/// dilation as an example.
#pragma once

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include <cstdint>
#include <vector>

// A lambda that Thrust calls on a GPU must be marked as code for it.
#if defined(__CUDACC__)
#define ON_DEVICE __host__ __device__
#else
#define ON_DEVICE
#endif

namespace pipeline {

using DeviceImage = thrust::device_vector<std::uint8_t>;

inline DeviceImage to_device(const std::vector<std::uint8_t>& image) {
  return DeviceImage(image.begin(), image.end());
}

/// An image of `pixels` grey values, made by calling `grey(i)` for each place i of it,
/// on the device and in any order. Row and column of place i are i / width and i %
/// width.
template <typename Grey>
std::vector<std::uint8_t> make_image(std::int32_t pixels, Grey grey) {
  DeviceImage image(static_cast<std::size_t>(pixels));
  const thrust::counting_iterator<std::int32_t> first(0);
  thrust::transform(first, first + pixels, image.begin(), grey);
  std::vector<std::uint8_t> on_host(image.size());
  thrust::copy(image.begin(), image.end(), on_host.begin());
  return on_host;
}

/// The most of each pixel and its eight neighbours, of those that are inside.
inline std::vector<std::uint8_t> dilate(const std::vector<std::uint8_t>& image,
                                        std::int32_t height, std::int32_t width) {
  const DeviceImage on_device = to_device(image);
  const std::uint8_t* const from = on_device.data().get();
  return make_image(height * width, [from, height, width] ON_DEVICE(std::int32_t i) {
    const std::int32_t row = i / width;
    const std::int32_t column = i % width;
    std::uint8_t most = 0;
    for (std::int32_t y = row - 1; y <= row + 1; ++y) {
      for (std::int32_t x = column - 1; x <= column + 1; ++x) {
        if (y < 0 || y >= height || x < 0 || x >= width) continue;
        const std::uint8_t grey = from[y * width + x];
        most = grey > most ? grey : most;
      }
    }
    return most;
  });
}

}  // namespace pipeline

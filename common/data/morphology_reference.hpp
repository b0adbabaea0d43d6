/// \file
/// What the functions of morphology.hpp must give, in plain loops over vectors; for
/// tests, and to be read first.
#pragma once

#include <cstdint>
#include <vector>

#include "data/morphology.hpp"

namespace pipeline::reference {

/// As GreyImages, with its own pixels.
struct Images {
  std::vector<std::uint8_t> pixels;  ///< count x height x width
  std::int32_t count = 0;            ///< images
  std::int32_t height = 0;           ///< pixels
  std::int32_t width = 0;            ///< pixels

  /// Whether there is such a pixel in an image.
  bool inside(std::int32_t y, std::int32_t x) const {
    return y >= 0 && y < height && x >= 0 && x < width;
  }
  /// Where a pixel lies among `pixels`.
  std::size_t place(std::int32_t image, std::int32_t y, std::int32_t x) const {
    return (static_cast<std::size_t>(image) * height + y) * width + x;
  }
};

/// The least of each pixel's neighbours that lie inside.
Images eroded(const StructuringElement& by, const Images& in);
/// The greatest of those that have the pixel as a neighbour.
Images dilated(const StructuringElement& by, const Images& in);
/// Eroded, then dilated: what the shape fits into.
Images opened(const StructuringElement& by, const Images& in);
/// The image minus its opening.
Images top_hat(const StructuringElement& by, const Images& in);
/// 1 where a grey value is at least `level`, else 0.
Images at_least(std::uint8_t level, const Images& in);
/// By flood fill. Each component is labelled by the first of its places.
std::vector<std::int32_t> labels(const Images& mask);
/// How many components each image has.
std::vector<std::int32_t> component_counts(const Images& mask);

}  // namespace pipeline::reference

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
  std::vector<std::uint8_t> pixels;
  std::int32_t count = 0;
  std::int32_t height = 0;
  std::int32_t width = 0;

  bool inside(std::int32_t y, std::int32_t x) const {
    return y >= 0 && y < height && x >= 0 && x < width;
  }
  std::size_t place(std::int32_t image, std::int32_t y, std::int32_t x) const {
    return (static_cast<std::size_t>(image) * height + y) * width + x;
  }
};

Images eroded(const StructuringElement& by, const Images& in);
Images dilated(const StructuringElement& by, const Images& in);
Images opened(const StructuringElement& by, const Images& in);
/// The image minus its opening.
Images top_hat(const StructuringElement& by, const Images& in);
Images at_least(std::uint8_t level, const Images& in);
/// By flood fill. Each component is labelled by the first of its places.
std::vector<std::int32_t> labels(const Images& mask);
std::vector<std::int32_t> component_counts(const Images& mask);

}  // namespace pipeline::reference

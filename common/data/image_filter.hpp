/// \file
/// The whole chain of morphology.hpp on a device, from host memory to host memory: what
/// is thin on an image, and in how many pieces.
#pragma once

#include <cstdint>
#include <memory>

#include "data/morphology.hpp"
#include "device/device.hpp"

namespace pipeline {

/// What counts as thin.
struct FilterOptions {
  /// What is wider than this is not thin.
  StructuringElement element = square_element(1);
  std::uint8_t level = 48;  ///< of the top-hat, from which a pixel counts as thin
};

/// One stream of a device, with its buffers for images of one size. Not for two threads
/// at once.
class ImageFilter {
 public:
  /// `most` images of height x width at a time. `device` must outlive it.
  ImageFilter(Device& device, std::int32_t most, std::int32_t height,
              std::int32_t width, const FilterOptions& options = {});
  ~ImageFilter();

  /// From `images` (host memory, at most `most`) to `mask`, as many pixels, 1 where the
  /// top-hat reaches the level, and `components`, how many the mask of each image has.
  /// Waits for the device.
  void run(GreyImages images, std::uint8_t* mask, std::int32_t* components);
  /// The opening alone, as many pixels as `images`.
  void opening(GreyImages images, std::uint8_t* opened);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pipeline

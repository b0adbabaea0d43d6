/// \file
/// Convolution over images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "layers/layer.hpp"

namespace pipeline {

/// Images as layers see them: a row of a matrix is one image, position by position and
/// channel by channel ("NHWC"), so that the channels of a position lie together.
struct ImageShape {
  std::int32_t height = 0;    ///< pixels
  std::int32_t width = 0;     ///< pixels
  std::int32_t channels = 0;  ///< values of a pixel

  /// Pixels of an image.
  std::int32_t positions() const { return height * width; }
  /// Columns of a row of a matrix: all values of an image.
  std::int32_t columns() const { return height * width * channels; }
  std::string text() const;  ///< "28x28x16"
  bool operator==(const ImageShape&) const = default;
};

/// What a convolution does beside its filters.
struct ConvolutionOptions {
  std::int32_t kernel = 3;  ///< height and width of a filter; odd
  std::int32_t stride = 1;  ///< pixels from one place of a filter to the next
  bool bias = true;  ///< not needed in front of batch norm, which takes it off again
};

/// Images after a convolution: its border is padded by (kernel-1)/2 zeros all around,
/// so that with stride 1 they stay as large as they are.
ImageShape convolved(const ImageShape& image, std::int32_t filters,
                     std::int32_t stride);

/// y at each position = the sum, over the kernel x kernel positions around it and their
/// channels, of x times a filter (+ a bias); a filter an output channel. Parameters:
/// the filters first (kernel x kernel x channels rows of `filters` columns), then the
/// biases, if any. Starts He-uniform (He et al. 2015, section 2.2), biases 0.
std::unique_ptr<Layer> convolution(const ImageShape& image, std::int32_t filters,
                                   const ConvolutionOptions& options = {});

}  // namespace pipeline

/// \file
/// Pooling: windows of an image's positions become one.
#pragma once

#include <cstdint>
#include <memory>

#include "layers/convolution.hpp"

namespace pipeline {

/// The mean of each channel over windows of `window` x `window` positions that tile the
/// image; height and width are multiples of it.
std::unique_ptr<Layer> average_pool(const ImageShape& image, std::int32_t window);
/// The largest instead; of equal ones the first gets the gradient.
std::unique_ptr<Layer> max_pool(const ImageShape& image, std::int32_t window);
/// The mean over the whole image: one position is left.
std::unique_ptr<Layer> global_average_pool(const ImageShape& image);

}  // namespace pipeline

/// \file
/// The layers of images once more in double precision, as plain loops on the host. See
/// reference.hpp.
#pragma once

#include <cstdint>
#include <memory>

#include "layers/convolution.hpp"
#include "layers/reference.hpp"

namespace pipeline {

/// The reference of `convolution`.
std::unique_ptr<ReferenceLayer> reference_convolution(
    const ImageShape& image, std::int32_t filters, const ConvolutionOptions& options);
/// In training.
std::unique_ptr<ReferenceLayer> reference_batch_norm(const ImageShape& image);
/// Windows of any height and width that tile the image.
std::unique_ptr<ReferenceLayer> reference_average_pool(const ImageShape& image,
                                                       std::int32_t height,
                                                       std::int32_t width);
/// The reference of `max_pool`; windows tile the image.
std::unique_ptr<ReferenceLayer> reference_max_pool(const ImageShape& image,
                                                   std::int32_t window);

}  // namespace pipeline

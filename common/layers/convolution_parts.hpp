/// \file
/// The convolutions behind `convolution`, two ways: lowered to the matrix product, and
/// by oneDNN on the host. Private to the layers part.
#pragma once

#include "layers/compute.hpp"
#include "layers/convolution.hpp"

namespace pipeline {

struct ConvolutionShape {
  ImageShape in;
  ImageShape out;
  std::int32_t kernel = 0;
  std::int32_t stride = 0;

  std::int32_t before() const { return (kernel - 1) / 2; }  ///< zeros before each edge
  std::int32_t taps() const { return kernel * kernel; }
  /// Rows of the matrix of filters; its columns are out.channels.
  std::int32_t depth() const { return taps() * in.channels; }
};

// x is rows x in.columns(), y rows x out.columns(), and so are their gradients.

/// y = beta * y + filters over x, with beta 0 or 1.
void convolve_lowered(Compute& on, const ConvolutionShape& shape, const float* filters,
                      ConstMatrix x, float beta, Matrix y);
void convolve_input_gradient_lowered(Compute& on, const ConvolutionShape& shape,
                                     const float* filters, ConstMatrix dy, Matrix dx);
/// Adds to `gradients`.
void convolve_weight_gradient_lowered(Compute& on, const ConvolutionShape& shape,
                                      ConstMatrix x, ConstMatrix dy, float* gradients);

void convolve_library(Compute& on, const ConvolutionShape& shape, const float* filters,
                      ConstMatrix x, float beta, Matrix y);
void convolve_input_gradient_library(Compute& on, const ConvolutionShape& shape,
                                     const float* filters, ConstMatrix dy, Matrix dx);
void convolve_weight_gradient_library(Compute& on, const ConvolutionShape& shape,
                                      ConstMatrix x, ConstMatrix dy, float* gradients);

}  // namespace pipeline

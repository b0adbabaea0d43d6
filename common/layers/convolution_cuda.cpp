// On GPUs the convolution is lowered to cuBLAS's matrix product.
#include "layers/convolution_parts.hpp"

namespace pipeline {

void convolve_library(Compute& on, const ConvolutionShape& shape, const float* filters,
                      ConstMatrix x, float beta, Matrix y) {
  convolve_lowered(on, shape, filters, x, beta, y);
}

void convolve_input_gradient_library(Compute& on, const ConvolutionShape& shape,
                                     const float* filters, ConstMatrix dy, Matrix dx) {
  convolve_input_gradient_lowered(on, shape, filters, dy, dx);
}

void convolve_weight_gradient_library(Compute& on, const ConvolutionShape& shape,
                                      ConstMatrix x, ConstMatrix dy, float* gradients) {
  convolve_weight_gradient_lowered(on, shape, x, dy, gradients);
}

}  // namespace pipeline

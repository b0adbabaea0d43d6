/// \file
/// Exercise 07: a linear layer, ReLU, and their gradients, in Thrust. Matrices are
/// row-major in vectors: element (r, c) of a matrix with n columns is at r * n + c.
/// `on_device.hpp` moves them to the device and back for you.
#pragma once

#include <cstdint>
#include <vector>

namespace pipeline {

/// Sizes of a linear layer and of the samples that it is applied to, all at least 1.
struct LinearShape {
  std::int32_t rows = 1;     ///< samples
  std::int32_t inputs = 1;   ///< columns of x
  std::int32_t outputs = 1;  ///< columns of y
};

/// dx of y = max(x, 0): what of dy gets through to x. At x = 0 nothing does.
std::vector<float> relu_input_gradient(const std::vector<float>& x,
                                       const std::vector<float>& dy);

/// y = x w + b, with b added to every row. x is rows x inputs, w is inputs x outputs, b
/// has `outputs` elements, y is rows x outputs.
std::vector<float> linear_forward(const std::vector<float>& x,
                                  const std::vector<float>& w,
                                  const std::vector<float>& b, LinearShape shape);

/// dx = dy w^T, rows x inputs.
std::vector<float> linear_input_gradient(const std::vector<float>& dy,
                                         const std::vector<float>& w,
                                         LinearShape shape);

/// dw = x^T dy, inputs x outputs.
std::vector<float> linear_weight_gradient(const std::vector<float>& x,
                                          const std::vector<float>& dy,
                                          LinearShape shape);

/// db: the sum of dy over its rows, `outputs` elements.
std::vector<float> linear_bias_gradient(const std::vector<float>& dy,
                                        LinearShape shape);

}  // namespace pipeline

#include "layers/convolution.hpp"

#include <algorithm>
#include <cassert>

#include "layers/convolution_parts.hpp"
#include "layers/initialise.hpp"
#include "layers/matmul.hpp"
#include "layers/policy.hpp"

namespace pipeline {

std::string ImageShape::text() const {
  return std::to_string(height) + "x" + std::to_string(width) + "x" +
         std::to_string(channels);
}

ImageShape convolved(const ImageShape& image, std::int32_t filters,
                     std::int32_t stride) {
  return {(image.height + stride - 1) / stride, (image.width + stride - 1) / stride,
          filters};
}

namespace {

/// Every position of y starts as the biases.
void broadcast_bias(Compute& on, const ImageShape& image, const float* bias, Matrix y) {
  const std::int32_t channels = image.channels;
  for_each_piece(
      on, y.rows * image.positions(), channels,
      [=] PIPELINE_HD(std::int32_t row, std::int32_t first, std::int32_t end) {
        float* out = y.data + std::int64_t{row} * channels;
        for (std::int32_t c = first; c < end; ++c) out[c] = bias[c];
      });
}

/// Sums over an image's positions first, and then over the images: the sums of many
/// small numbers are the more exact for it, and a GPU has something to share out.
void add_bias_gradient(Compute& on, const ImageShape& image, ConstMatrix dy,
                       float* gradients) {
  const std::int32_t channels = image.channels;
  const std::int32_t positions = image.positions();
  const std::int32_t images = dy.rows;
  const Scratch<float> scratch(on.scratch(), static_cast<std::size_t>(images) *
                                                 static_cast<std::size_t>(channels));
  float* const sums = scratch.data();
  for_each_piece(
      on, images, channels,
      [=] PIPELINE_HD(std::int32_t row, std::int32_t first, std::int32_t end) {
        const float* in = dy.data + std::int64_t{row} * dy.columns;
        float* out = sums + std::int64_t{row} * channels;
        for (std::int32_t c = first; c < end; ++c) out[c] = 0;
        for (std::int32_t i = 0; i < positions; ++i, in += channels) {
          for (std::int32_t c = first; c < end; ++c) out[c] += in[c];
        }
      });
  for_each_piece(on, 1, channels,
                 [=] PIPELINE_HD(std::int32_t, std::int32_t first, std::int32_t end) {
                   for (std::int32_t i = 0; i < images; ++i) {
                     const float* in = sums + std::int64_t{i} * channels;
                     for (std::int32_t c = first; c < end; ++c) gradients[c] += in[c];
                   }
                 });
}

class Convolution : public Layer {
 public:
  Convolution(const ConvolutionShape& shape, bool bias) : shape_(shape), bias_(bias) {}

  std::string name() const override {
    const std::string kernel = std::to_string(shape_.kernel);
    return "convolution " + shape_.in.text() + " -> " + shape_.out.text() + ", " +
           kernel + "x" + kernel;
  }
  std::int32_t inputs() const override { return shape_.in.columns(); }
  std::int32_t outputs() const override { return shape_.out.columns(); }
  std::size_t parameter_count() const override {
    return filter_count() +
           (bias_ ? static_cast<std::size_t>(shape_.out.channels) : 0U);
  }
  std::size_t decayed_count() const override { return filter_count(); }
  void initialise(float* parameters, std::uint64_t seed) const override {
    he_uniform(parameters, filter_count(), shape_.depth(), seed);
    std::fill(parameters + filter_count(), parameters + parameter_count(), 0.0F);
  }
  void forward(Compute& on, const Call& call, ConstMatrix x, Matrix y) const override {
    if (bias_) broadcast_bias(on, shape_.out, call.parameters + filter_count(), y);
    const float beta = bias_ ? 1 : 0;
    if (on.matmul_with() == MatmulWith::Thrust) {
      convolve_lowered(on, shape_, call.parameters, x, beta, y);
    } else {
      convolve_library(on, shape_, call.parameters, x, beta, y);
    }
  }
  void input_gradient(Compute& on, const Call& call, ConstMatrix /*x*/, ConstMatrix dy,
                      Matrix dx) const override {
    if (on.matmul_with() == MatmulWith::Thrust) {
      convolve_input_gradient_lowered(on, shape_, call.parameters, dy, dx);
    } else {
      convolve_input_gradient_library(on, shape_, call.parameters, dy, dx);
    }
  }
  void weight_gradient(Compute& on, const Call& /*call*/, ConstMatrix x, ConstMatrix dy,
                       float* gradients) const override {
    if (on.matmul_with() == MatmulWith::Thrust) {
      convolve_weight_gradient_lowered(on, shape_, x, dy, gradients);
    } else {
      convolve_weight_gradient_library(on, shape_, x, dy, gradients);
    }
    if (bias_) add_bias_gradient(on, shape_.out, dy, gradients + filter_count());
  }

 private:
  std::size_t filter_count() const {
    return static_cast<std::size_t>(shape_.depth()) *
           static_cast<std::size_t>(shape_.out.channels);
  }
  ConvolutionShape shape_;
  bool bias_;
};

}  // namespace

std::unique_ptr<Layer> convolution(const ImageShape& image, std::int32_t filters,
                                   const ConvolutionOptions& options) {
  assert(image.columns() > 0 && filters > 0 && options.stride > 0);
  assert(options.kernel > 0 && options.kernel % 2 == 1);
  const ConvolutionShape shape = {image, convolved(image, filters, options.stride),
                                  options.kernel, options.stride};
  return std::make_unique<Convolution>(shape, options.bias);
}

}  // namespace pipeline

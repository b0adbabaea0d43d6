#include "layers/layer_norm.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "layers/policy.hpp"

namespace pipeline {

namespace {

/// What is taken off a row, and what it is multiplied by.
struct RowMoments {
  float mean = 0;
  float factor = 0;  ///< 1 / sqrt(variance + epsilon)
};

PIPELINE_HD inline RowMoments moments_of(const float* row, std::int32_t width) {
  RowMoments moments;
  float sum = 0;
  for (std::int32_t j = 0; j < width; ++j) sum += row[j];
  moments.mean = sum / static_cast<float>(width);
  float squares = 0;
  for (std::int32_t j = 0; j < width; ++j) {
    const float apart = row[j] - moments.mean;
    squares += apart * apart;
  }
  moments.factor =
      1 / std::sqrt(squares / static_cast<float>(width) + kLayerNormEpsilon);
  return moments;
}

/// With n = (x - mean) * factor and g = scale * dy:
///
///     dx = factor * (g - average(g) - n * average(g n))
PIPELINE_HD inline void row_gradient(const float* scale, const float* x,
                                     const float* dy, std::int32_t width, float* dx) {
  const RowMoments moments = moments_of(x, width);
  float sum = 0;
  float product = 0;
  for (std::int32_t j = 0; j < width; ++j) {
    const float gradient = scale[j] * dy[j];
    sum += gradient;
    product += gradient * ((x[j] - moments.mean) * moments.factor);
  }
  const float average = sum / static_cast<float>(width);
  const float slope = product / static_cast<float>(width);
  for (std::int32_t j = 0; j < width; ++j) {
    const float normalised = (x[j] - moments.mean) * moments.factor;
    dx[j] = moments.factor * (scale[j] * dy[j] - average - normalised * slope);
  }
}

class LayerNorm : public Layer {
 public:
  explicit LayerNorm(std::int32_t width) : width_(width) {}

  std::string name() const override { return "layer norm " + std::to_string(width_); }
  std::int32_t inputs() const override { return width_; }
  std::int32_t outputs() const override { return width_; }
  std::size_t parameter_count() const override {
    return 2 * static_cast<std::size_t>(width_);
  }
  void initialise(float* parameters, std::uint64_t /*seed*/) const override {
    std::fill_n(parameters, width_, 1.0F);
    std::fill_n(parameters + width_, width_, 0.0F);
  }

  void forward(Compute& on, const Call& call, ConstMatrix x, Matrix y) const override {
    const std::int32_t width = width_;
    const float* scale = call.parameters;
    const float* shift = scale + width;
    for_each_index(on, x.rows, [=] PIPELINE_HD(std::int64_t i) {
      const float* in = x.data + i * width;
      float* out = y.data + i * width;
      const RowMoments moments = moments_of(in, width);
      for (std::int32_t j = 0; j < width; ++j) {
        out[j] = (in[j] - moments.mean) * moments.factor * scale[j] + shift[j];
      }
    });
  }

  void input_gradient(Compute& on, const Call& call, ConstMatrix x, ConstMatrix dy,
                      Matrix dx) const override {
    const std::int32_t width = width_;
    const float* scale = call.parameters;
    for_each_index(on, x.rows, [=] PIPELINE_HD(std::int64_t i) {
      row_gradient(scale, x.data + i * width, dy.data + i * width, width,
                   dx.data + i * width);
    });
  }

  void weight_gradient(Compute& on, const Call& /*call*/, ConstMatrix x, ConstMatrix dy,
                       float* gradients) const override {
    const std::int32_t width = width_;
    const Scratch<RowMoments> rows(on.scratch(), static_cast<std::size_t>(x.rows));
    RowMoments* const moments = rows.data();
    for_each_index(on, x.rows, [=] PIPELINE_HD(std::int64_t i) {
      moments[i] = moments_of(x.data + i * width, width);
    });
    for_each_piece(on, 1, width,
                   [=] PIPELINE_HD(std::int32_t, std::int32_t first, std::int32_t end) {
                     float scale[kColumnsPerItem] = {};
                     float shift[kColumnsPerItem] = {};
                     const std::int32_t columns = piece_width(first, end);
                     const float* in = x.data + first;
                     const float* gradient = dy.data + first;
                     for (std::int32_t i = 0; i < x.rows; ++i) {
                       for (std::int32_t j = 0; j < columns; ++j) {
                         scale[j] += gradient[j] *
                                     ((in[j] - moments[i].mean) * moments[i].factor);
                         shift[j] += gradient[j];
                       }
                       in += width;
                       gradient += width;
                     }
                     for (std::int32_t j = 0; j < columns; ++j) {
                       gradients[first + j] += scale[j];
                       gradients[width + first + j] += shift[j];
                     }
                   });
  }

 private:
  std::int32_t width_;
};

}  // namespace

std::unique_ptr<Layer> layer_norm(std::int32_t width) {
  assert(width > 0);
  return std::make_unique<LayerNorm>(width);
}

}  // namespace pipeline

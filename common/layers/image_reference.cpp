#include "layers/image_reference.hpp"

#include <algorithm>
#include <cmath>

#include "layers/batch_norm.hpp"

namespace pipeline {

namespace {

/// Where a value of an image stands in its row of a matrix.
std::int32_t column_of(const ImageShape& image, std::int32_t y, std::int32_t x,
                       std::int32_t channel) {
  return (y * image.width + x) * image.channels + channel;
}

class ReferenceConvolution : public ReferenceLayer {
 public:
  ReferenceConvolution(const ImageShape& image, std::int32_t filters,
                       const ConvolutionOptions& options)
      : in_(image),
        out_(convolved(image, filters, options.stride)),
        options_(options) {}

  std::vector<std::size_t> tensors() const override {
    std::vector<std::size_t> sizes = {filter_count()};
    if (options_.bias) sizes.push_back(static_cast<std::size_t>(out_.channels));
    return sizes;
  }
  DoubleMatrix forward(const Pass&, std::span<const double> parameters,
                       const DoubleMatrix& x) const override {
    DoubleMatrix y(x.rows, out_.columns());
    if (options_.bias) {
      for (std::int32_t i = 0; i < y.rows; ++i) {
        for (std::int32_t j = 0; j < y.columns; ++j) {
          y.at(i, j) = parameters[filter_count() + j % out_.channels];
        }
      }
    }
    for_each_product([&](std::int32_t from, std::size_t weight, std::int32_t to) {
      for (std::int32_t i = 0; i < x.rows; ++i) {
        y.at(i, to) += x.at(i, from) * parameters[weight];
      }
    });
    return y;
  }
  DoubleMatrix input_gradient(const Pass&, std::span<const double> parameters,
                              const DoubleMatrix& x,
                              const DoubleMatrix& dy) const override {
    DoubleMatrix dx(x.rows, x.columns);
    for_each_product([&](std::int32_t from, std::size_t weight, std::int32_t to) {
      for (std::int32_t i = 0; i < x.rows; ++i) {
        dx.at(i, from) += dy.at(i, to) * parameters[weight];
      }
    });
    return dx;
  }
  std::vector<double> weight_gradient(const Pass&, const DoubleMatrix& x,
                                      const DoubleMatrix& dy) const override {
    std::vector<double> gradients(parameter_count());
    for_each_product([&](std::int32_t from, std::size_t weight, std::int32_t to) {
      for (std::int32_t i = 0; i < x.rows; ++i) {
        gradients[weight] += x.at(i, from) * dy.at(i, to);
      }
    });
    if (!options_.bias) return gradients;
    for (std::int32_t i = 0; i < dy.rows; ++i) {
      for (std::int32_t j = 0; j < dy.columns; ++j) {
        gradients[filter_count() + j % out_.channels] += dy.at(i, j);
      }
    }
    return gradients;
  }

 private:
  std::size_t filter_count() const {
    return static_cast<std::size_t>(options_.kernel * options_.kernel * in_.channels) *
           static_cast<std::size_t>(out_.channels);
  }
  /// visit(column of x, weight, column of y) for all products that a y is made of.
  template <typename F>
  void for_each_product(F visit) const {
    const std::int32_t before = (options_.kernel - 1) / 2;
    for (std::int32_t y = 0; y < out_.height; ++y) {
      for (std::int32_t x = 0; x < out_.width; ++x) {
        for (std::int32_t tap = 0; tap < options_.kernel * options_.kernel; ++tap) {
          const std::int32_t row = y * options_.stride + tap / options_.kernel - before;
          const std::int32_t at = x * options_.stride + tap % options_.kernel - before;
          if (row < 0 || row >= in_.height || at < 0 || at >= in_.width) continue;
          for (std::int32_t c = 0; c < in_.channels; ++c) {
            for (std::int32_t f = 0; f < out_.channels; ++f) {
              const std::int32_t weight = (tap * in_.channels + c) * out_.channels + f;
              visit(column_of(in_, row, at, c), static_cast<std::size_t>(weight),
                    column_of(out_, y, x, f));
            }
          }
        }
      }
    }
  }

  ImageShape in_;
  ImageShape out_;
  ConvolutionOptions options_;
};

class ReferenceBatchNorm : public ReferenceLayer {
 public:
  explicit ReferenceBatchNorm(const ImageShape& image) : image_(image) {}

  std::vector<std::size_t> tensors() const override {
    const auto channels = static_cast<std::size_t>(image_.channels);
    return {channels, channels};
  }
  DoubleMatrix forward(const Pass&, std::span<const double> parameters,
                       const DoubleMatrix& x) const override {
    DoubleMatrix y = normalised(x);
    for (std::int32_t i = 0; i < y.rows; ++i) {
      for (std::int32_t j = 0; j < y.columns; ++j) {
        const std::size_t c = channel_of(j);
        y.at(i, j) = parameters[c] * y.at(i, j) + parameters[channel_count() + c];
      }
    }
    return y;
  }
  DoubleMatrix input_gradient(const Pass&, std::span<const double> parameters,
                              const DoubleMatrix& x,
                              const DoubleMatrix& dy) const override {
    const DoubleMatrix u = normalised(x);
    const std::vector<double> deviations = deviations_of(x);
    const std::vector<double> mean_dy = means(dy, {});
    const std::vector<double> mean_product = means(dy, u.values);
    DoubleMatrix dx = dy;
    for (std::int32_t i = 0; i < dx.rows; ++i) {
      for (std::int32_t j = 0; j < dx.columns; ++j) {
        const std::size_t c = channel_of(j);
        dx.at(i, j) = parameters[c] / deviations[c] *
                      (dy.at(i, j) - mean_dy[c] - u.at(i, j) * mean_product[c]);
      }
    }
    return dx;
  }
  std::vector<double> weight_gradient(const Pass&, const DoubleMatrix& x,
                                      const DoubleMatrix& dy) const override {
    std::vector<double> gradients = means(dy, normalised(x).values);
    const std::vector<double> shifts = means(dy, {});
    gradients.insert(gradients.end(), shifts.begin(), shifts.end());
    for (double& value : gradients) value *= x.rows * image_.positions();
    return gradients;
  }

 private:
  std::size_t channel_count() const {
    return static_cast<std::size_t>(image_.channels);
  }
  std::size_t channel_of(std::int32_t column) const {
    return static_cast<std::size_t>(column % image_.channels);
  }
  /// Of values times factors (1 where there are none), a channel each.
  std::vector<double> means(const DoubleMatrix& values,
                            std::span<const double> factors) const {
    std::vector<double> sums(channel_count());
    for (std::size_t i = 0; i < values.values.size(); ++i) {
      const double factor = factors.empty() ? 1 : factors[i];
      sums[i % channel_count()] += values.values[i] * factor;
    }
    for (double& sum : sums) sum /= values.rows * image_.positions();
    return sums;
  }
  DoubleMatrix centred(const DoubleMatrix& x) const {
    const std::vector<double> mean = means(x, {});
    DoubleMatrix apart = x;
    for (std::size_t i = 0; i < apart.values.size(); ++i) {
      apart.values[i] -= mean[i % channel_count()];
    }
    return apart;
  }
  std::vector<double> deviations_of(const DoubleMatrix& x) const {
    const DoubleMatrix apart = centred(x);
    std::vector<double> deviations = means(apart, apart.values);
    for (double& value : deviations) {
      value = std::sqrt(value + double{kBatchNormEpsilon});
    }
    return deviations;
  }
  DoubleMatrix normalised(const DoubleMatrix& x) const {
    const std::vector<double> deviations = deviations_of(x);
    DoubleMatrix u = centred(x);
    for (std::size_t i = 0; i < u.values.size(); ++i) {
      u.values[i] /= deviations[i % channel_count()];
    }
    return u;
  }

  ImageShape image_;
};

class ReferencePool : public ReferenceLayer {
 public:
  ReferencePool(const ImageShape& image, std::int32_t height, std::int32_t width,
                bool maximum)
      : in_(image),
        out_{image.height / height, image.width / width, image.channels},
        height_(height),
        width_(width),
        maximum_(maximum) {}

  DoubleMatrix forward(const Pass&, std::span<const double>,
                       const DoubleMatrix& x) const override {
    DoubleMatrix y(x.rows, out_.columns());
    for_each_share(x, [&](std::int32_t i, std::int32_t from, std::int32_t to,
                          double share) { y.at(i, to) += share * x.at(i, from); });
    return y;
  }
  DoubleMatrix input_gradient(const Pass&, std::span<const double>,
                              const DoubleMatrix& x,
                              const DoubleMatrix& dy) const override {
    DoubleMatrix dx(x.rows, x.columns);
    for_each_share(x, [&](std::int32_t i, std::int32_t from, std::int32_t to,
                          double share) { dx.at(i, from) += share * dy.at(i, to); });
    return dx;
  }

 private:
  /// visit(row, column of x, column of y, what the one counts in the other).
  template <typename F>
  void for_each_share(const DoubleMatrix& x, F visit) const {
    for (std::int32_t i = 0; i < x.rows; ++i) {
      for (std::int32_t j = 0; j < out_.columns(); ++j) {
        const std::vector<std::int32_t> window = window_of(j);
        const auto largest = std::max_element(
            window.begin(), window.end(),
            [&](std::int32_t a, std::int32_t b) { return x.at(i, a) < x.at(i, b); });
        if (maximum_) {
          visit(i, *largest, j, 1.0);
        } else {
          for (const std::int32_t from : window) {
            visit(i, from, j, 1.0 / static_cast<double>(window.size()));
          }
        }
      }
    }
  }
  /// The columns of x that column j of y is made of.
  std::vector<std::int32_t> window_of(std::int32_t j) const {
    const std::int32_t position = j / out_.channels;
    std::vector<std::int32_t> columns;
    for (std::int32_t y = 0; y < height_; ++y) {
      for (std::int32_t x = 0; x < width_; ++x) {
        columns.push_back(column_of(in_, position / out_.width * height_ + y,
                                    position % out_.width * width_ + x,
                                    j % out_.channels));
      }
    }
    return columns;
  }

  ImageShape in_;
  ImageShape out_;
  std::int32_t height_;
  std::int32_t width_;
  bool maximum_;
};

}  // namespace

std::unique_ptr<ReferenceLayer> reference_convolution(
    const ImageShape& image, std::int32_t filters, const ConvolutionOptions& options) {
  return std::make_unique<ReferenceConvolution>(image, filters, options);
}

std::unique_ptr<ReferenceLayer> reference_batch_norm(const ImageShape& image) {
  return std::make_unique<ReferenceBatchNorm>(image);
}

std::unique_ptr<ReferenceLayer> reference_average_pool(const ImageShape& image,
                                                       std::int32_t height,
                                                       std::int32_t width) {
  return std::make_unique<ReferencePool>(image, height, width, false);
}

std::unique_ptr<ReferenceLayer> reference_max_pool(const ImageShape& image,
                                                   std::int32_t window) {
  return std::make_unique<ReferencePool>(image, window, window, true);
}

}  // namespace pipeline

#include "layers/pooling.hpp"

#include <cassert>

#include "layers/policy.hpp"

namespace pipeline {

namespace {

/// Windows of an image that tile it.
struct Windows {
  ImageShape in;
  std::int32_t height;  ///< of a window
  std::int32_t width;

  PIPELINE_HD std::int32_t out_width() const { return in.width / width; }
  PIPELINE_HD std::int32_t out_positions() const {
    return in.height / height * out_width();
  }
  PIPELINE_HD std::int32_t size() const { return height * width; }
  /// Where the first position of a window lies in the images, in floats; `row` counts
  /// the windows of all images.
  PIPELINE_HD std::int64_t begin(std::int32_t row) const {
    const std::int32_t image = row / out_positions();
    const std::int32_t window = row % out_positions();
    const std::int32_t y = window / out_width() * height;
    const std::int32_t x = window % out_width() * width;
    return ((std::int64_t{image} * in.height + y) * in.width + x) * in.channels;
  }
  /// How far from there its i-th position lies.
  PIPELINE_HD std::int64_t offset(std::int32_t i) const {
    return (std::int64_t{i / width} * in.width + i % width) * in.channels;
  }
};

/// `Kind` has `forward` and `backward` for one window and some channels: `x` and `dx`
/// are its first position, `y` and `dy` what becomes of it.
template <typename Kind>
class Pool : public Layer {
 public:
  explicit Pool(const Windows& windows) : windows_(windows) {}

  std::string name() const override {
    return std::string(Kind::kName) + " " + windows_.in.text() + ", " +
           std::to_string(windows_.height) + "x" + std::to_string(windows_.width);
  }
  std::int32_t inputs() const override { return windows_.in.columns(); }
  std::int32_t outputs() const override {
    return windows_.out_positions() * windows_.in.channels;
  }
  std::size_t parameter_count() const override { return 0; }
  void initialise(float*, std::uint64_t) const override {}
  void forward(Compute& on, const Call&, ConstMatrix x, Matrix y) const override {
    const Windows windows = windows_;
    for_each_piece(
        on, x.rows * windows.out_positions(), windows.in.channels,
        [=] PIPELINE_HD(std::int32_t row, std::int32_t first, std::int32_t end) {
          Kind::forward(windows, first, end, x.data + windows.begin(row),
                        y.data + std::int64_t{row} * windows.in.channels);
        });
  }
  void input_gradient(Compute& on, const Call&, ConstMatrix x, ConstMatrix dy,
                      Matrix dx) const override {
    const Windows windows = windows_;
    for_each_piece(
        on, x.rows * windows.out_positions(), windows.in.channels,
        [=] PIPELINE_HD(std::int32_t row, std::int32_t first, std::int32_t end) {
          const std::int64_t begin = windows.begin(row);
          Kind::backward(windows, first, end, x.data + begin,
                         dy.data + std::int64_t{row} * windows.in.channels,
                         dx.data + begin);
        });
  }
  void weight_gradient(Compute&, const Call&, ConstMatrix, ConstMatrix,
                       float*) const override {}

 private:
  Windows windows_;
};

struct Average {
  static constexpr const char* kName = "average pool";

  PIPELINE_HD static void forward(const Windows& windows, std::int32_t first,
                                  std::int32_t end, const float* x, float* y) {
    const float share = 1.0F / static_cast<float>(windows.size());
    for (std::int32_t c = first; c < end; ++c) y[c] = 0;
    for (std::int32_t i = 0; i < windows.size(); ++i) {
      const float* in = x + windows.offset(i);
      for (std::int32_t c = first; c < end; ++c) y[c] += share * in[c];
    }
  }
  PIPELINE_HD static void backward(const Windows& windows, std::int32_t first,
                                   std::int32_t end, const float* /*x*/,
                                   const float* dy, float* dx) {
    const float share = 1.0F / static_cast<float>(windows.size());
    for (std::int32_t i = 0; i < windows.size(); ++i) {
      float* out = dx + windows.offset(i);
      for (std::int32_t c = first; c < end; ++c) out[c] = share * dy[c];
    }
  }
};

struct Maximum {
  static constexpr const char* kName = "max pool";

  PIPELINE_HD static std::int32_t largest(const Windows& windows, const float* x,
                                          std::int32_t c) {
    std::int32_t best = 0;
    for (std::int32_t i = 1; i < windows.size(); ++i) {
      if (x[windows.offset(i) + c] > x[windows.offset(best) + c]) best = i;
    }
    return best;
  }
  PIPELINE_HD static void forward(const Windows& windows, std::int32_t first,
                                  std::int32_t end, const float* x, float* y) {
    for (std::int32_t c = first; c < end; ++c) {
      y[c] = x[windows.offset(largest(windows, x, c)) + c];
    }
  }
  PIPELINE_HD static void backward(const Windows& windows, std::int32_t first,
                                   std::int32_t end, const float* x, const float* dy,
                                   float* dx) {
    for (std::int32_t c = first; c < end; ++c) {
      const std::int32_t best = largest(windows, x, c);
      for (std::int32_t i = 0; i < windows.size(); ++i) {
        dx[windows.offset(i) + c] = i == best ? dy[c] : 0;
      }
    }
  }
};

}  // namespace

std::unique_ptr<Layer> average_pool(const ImageShape& image, std::int32_t window) {
  assert(window > 0 && image.height % window == 0 && image.width % window == 0);
  return std::make_unique<Pool<Average>>(Windows{image, window, window});
}

std::unique_ptr<Layer> max_pool(const ImageShape& image, std::int32_t window) {
  assert(window > 0 && image.height % window == 0 && image.width % window == 0);
  return std::make_unique<Pool<Maximum>>(Windows{image, window, window});
}

std::unique_ptr<Layer> global_average_pool(const ImageShape& image) {
  assert(image.columns() > 0);
  return std::make_unique<Pool<Average>>(Windows{image, image.height, image.width});
}

}  // namespace pipeline

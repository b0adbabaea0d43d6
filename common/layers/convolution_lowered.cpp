// A convolution as a matrix product ("im2col"; Chellapilla, Puri & Simard 2006, section
// 4): what a filter sees at one position becomes a row, and the filters are columns.
//
//            kernel x kernel x channels        filters
//     image 0, position 0  [ · · · · · ]      [ · · · ]      y of image 0, position 0
//     image 0, position 1  [ · · · · · ]   ×  [ · · · ]   =  y of image 0, position 1
//     …                                       [ · · · ]
//
// Each value is copied up to kernel x kernel times, so this is done for a few images at
// a time, which stay in the cache.
#include <algorithm>

#include "layers/convolution_parts.hpp"
#include "layers/matmul.hpp"
#include "layers/policy.hpp"

namespace pipeline {

namespace {

/// Floats of patches at a time: on a core what its cache holds, on a GPU enough to keep
/// it busy.
constexpr std::int64_t kPatchFloats =
    kColumnsPerItem == 1 ? std::int64_t{1} << 24 : std::int64_t{1} << 16;

/// The patches of some images at a time.
class Tiles {
 public:
  Tiles(const ConvolutionShape& shape, std::int32_t images)
      : shape_(shape), images_(images) {
    const std::int64_t of_one = std::int64_t{shape.out.positions()} * shape.depth();
    most_ = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(kPatchFloats / of_one, 1, images));
  }

  std::size_t floats() const {
    return static_cast<std::size_t>(most_) *
           static_cast<std::size_t>(shape_.out.positions()) *
           static_cast<std::size_t>(shape_.depth());
  }
  /// work(first image, images, patches) for one tile after the other.
  template <typename F>
  void for_each(float* patches, const F& work) const {
    for (std::int32_t first = 0; first < images_; first += most_) {
      const std::int32_t count = std::min(most_, images_ - first);
      work(first, count,
           Matrix{patches, count * shape_.out.positions(), shape_.depth()});
    }
  }

 private:
  ConvolutionShape shape_;
  std::int32_t images_;
  std::int32_t most_ = 1;
};

/// Some images of a matrix of them, as rows of their positions.
Matrix positions_of(Matrix images, const ImageShape& shape, std::int32_t first,
                    std::int32_t count) {
  return {images.data + std::int64_t{first} * images.columns, count * shape.positions(),
          shape.channels};
}
ConstMatrix positions_of(ConstMatrix images, const ImageShape& shape,
                         std::int32_t first, std::int32_t count) {
  return {images.data + std::int64_t{first} * images.columns, count * shape.positions(),
          shape.channels};
}

/// A position of an image, or beside it.
struct Place {
  std::int32_t y;
  std::int32_t x;

  PIPELINE_HD bool inside(const ImageShape& image) const {
    return y >= 0 && y < image.height && x >= 0 && x < image.width;
  }
  /// Of image `i`, in floats from the first one.
  PIPELINE_HD std::int64_t begin(const ImageShape& image, std::int32_t i) const {
    return ((std::int64_t{i} * image.height + y) * image.width + x) * image.channels;
  }
};

/// An item of work copies the channels (or some of them) that one tap of the filter
/// sees at one position; outside of the image they are 0.
void gather_patches(Compute& on, const ConvolutionShape& shape, ConstMatrix x,
                    Matrix patches) {
  const std::int32_t taps = shape.taps();
  const std::int32_t before = shape.before();
  const std::int32_t positions = shape.out.positions();
  for_each_piece(
      on, patches.rows * taps, shape.in.channels,
      [=] PIPELINE_HD(std::int32_t row, std::int32_t first, std::int32_t end) {
        const std::int32_t tap = row % taps;
        const std::int32_t image = row / taps / positions;
        const std::int32_t position = row / taps % positions;
        const Place seen = {
            position / shape.out.width * shape.stride + tap / shape.kernel - before,
            position % shape.out.width * shape.stride + tap % shape.kernel - before};
        float* out = patches.data + std::int64_t{row} * shape.in.channels;
        if (!seen.inside(shape.in)) {
          for (std::int32_t c = first; c < end; ++c) out[c] = 0;
          return;
        }
        const float* in = x.data + seen.begin(shape.in, image);
        for (std::int32_t c = first; c < end; ++c) out[c] = in[c];
      });
}

/// The other way: an item of work adds up what the patches hold of one position of x,
/// from the first tap to the last.
void sum_patches(Compute& on, const ConvolutionShape& shape, ConstMatrix patches,
                 Matrix dx) {
  const std::int32_t taps = shape.taps();
  const std::int32_t before = shape.before();
  const std::int32_t positions = shape.in.positions();
  for_each_piece(
      on, dx.rows, shape.in.channels,
      [=] PIPELINE_HD(std::int32_t row, std::int32_t first, std::int32_t end) {
        const std::int32_t image = row / positions;
        const std::int32_t position = row % positions;
        float* out = dx.data + std::int64_t{row} * shape.in.channels;
        for (std::int32_t c = first; c < end; ++c) out[c] = 0;
        for (std::int32_t tap = 0; tap < taps; ++tap) {
          // Which position of y sees this one at that tap?
          const std::int32_t y =
              position / shape.in.width + before - tap / shape.kernel;
          const std::int32_t from =
              position % shape.in.width + before - tap % shape.kernel;
          if (y < 0 || y % shape.stride != 0 || from < 0 || from % shape.stride != 0) {
            continue;
          }
          const Place seer = {y / shape.stride, from / shape.stride};
          if (!seer.inside(shape.out)) continue;
          const std::int64_t patch =
              (std::int64_t{image} * shape.out.height + seer.y) * shape.out.width +
              seer.x;
          const float* in = patches.data + (patch * taps + tap) * shape.in.channels;
          for (std::int32_t c = first; c < end; ++c) out[c] += in[c];
        }
      });
}

}  // namespace

void convolve_lowered(Compute& on, const ConvolutionShape& shape, const float* filters,
                      ConstMatrix x, float beta, Matrix y) {
  const Tiles tiles(shape, x.rows);
  const Scratch<float> scratch(on.scratch(), tiles.floats());
  const ConstMatrix weights(filters, shape.depth(), shape.out.channels);
  tiles.for_each(
      scratch.data(), [&](std::int32_t first, std::int32_t count, Matrix patches) {
        gather_patches(on, shape, positions_of(x, shape.in, first, count), patches);
        matmul(on, Transpose::No, patches, Transpose::No, weights, beta,
               positions_of(y, shape.out, first, count));
      });
}

void convolve_input_gradient_lowered(Compute& on, const ConvolutionShape& shape,
                                     const float* filters, ConstMatrix dy, Matrix dx) {
  const Tiles tiles(shape, dy.rows);
  const Scratch<float> scratch(on.scratch(), tiles.floats());
  const ConstMatrix weights(filters, shape.depth(), shape.out.channels);
  tiles.for_each(
      scratch.data(), [&](std::int32_t first, std::int32_t count, Matrix patches) {
        matmul(on, Transpose::No, positions_of(dy, shape.out, first, count),
               Transpose::Yes, weights, 0, patches);
        sum_patches(on, shape, patches, positions_of(dx, shape.in, first, count));
      });
}

void convolve_weight_gradient_lowered(Compute& on, const ConvolutionShape& shape,
                                      ConstMatrix x, ConstMatrix dy, float* gradients) {
  const Tiles tiles(shape, x.rows);
  const Scratch<float> scratch(on.scratch(), tiles.floats());
  tiles.for_each(
      scratch.data(), [&](std::int32_t first, std::int32_t count, Matrix patches) {
        gather_patches(on, shape, positions_of(x, shape.in, first, count), patches);
        matmul(on, Transpose::Yes, patches, Transpose::No,
               positions_of(dy, shape.out, first, count), 1,
               Matrix{gradients, shape.depth(), shape.out.channels});
      });
}

}  // namespace pipeline

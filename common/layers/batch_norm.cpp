// Mean and variance of each channel come from pieces, so that there is enough to do at
// once, and so that no sum gets long: an item of work takes kPositionsPerItem positions
// of some channels. Their sums are put together in double, in order.
//
//                  channels
//                  [ item 0 ][ item 1 ]
//     positions    [        ][        ]
//                  [ item 2 ][ item 3 ]
//                  [        ][        ]
#include "layers/batch_norm.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "layers/compute.hpp"
#include "layers/policy.hpp"

namespace pipeline {

namespace {

/// How many positions an item of work takes.
constexpr std::int32_t kPositionsPerItem = 128;
/// And how many channels: a thread each on a GPU; on a core as many as stay in
/// registers with all their sums.
constexpr std::int32_t kChannelsPerItem = kColumnsPerItem == 1 ? 1 : 16;

/// All positions of some images.
struct Extent {
  std::int64_t positions;
  std::int32_t channels;

  Extent(ConstMatrix images, std::int32_t c)
      : positions(static_cast<std::int64_t>(images.size()) / c), channels(c) {}
  std::int64_t pieces() const {
    return (positions + kPositionsPerItem - 1) / kPositionsPerItem;
  }
  std::int32_t channel_pieces() const {
    return (channels + kChannelsPerItem - 1) / kChannelsPerItem;
  }
};

/// What one item of work takes of them.
struct Item {
  std::int64_t piece;      ///< of the positions
  std::int64_t begin;      ///< of its values, in floats
  std::int32_t positions;  ///< with `stride` floats from one to the next
  std::int32_t stride;
  std::int32_t channel;  ///< the first of `channels`
  std::int32_t channels;
};

/// work(item), with a number of channels that the compiler knows where it is the full
/// one.
template <typename F>
void for_each_item(Compute& on, const Extent& extent, F work) {
  const std::int64_t positions = extent.positions;
  const std::int32_t channels = extent.channels;
  const std::int32_t wide = extent.channel_pieces();
  for_each_index(on, extent.pieces() * wide, [=] PIPELINE_HD(std::int64_t index) {
    Item item{};
    item.piece = index / wide;
    item.channel = static_cast<std::int32_t>(index % wide) * kChannelsPerItem;
    const std::int64_t first = item.piece * kPositionsPerItem;
    item.positions = positions - first < kPositionsPerItem
                         ? static_cast<std::int32_t>(positions - first)
                         : kPositionsPerItem;
    item.stride = channels;
    item.begin = first * channels + item.channel;
    item.channels = channels - item.channel;
    if (item.channels >= kChannelsPerItem) {
      item.channels = kChannelsPerItem;
      work(item);
    } else {
      work(item);
    }
  });
}

/// What is known of each channel: of a piece of the positions (a row a piece), or of
/// all of them.
struct Sums {
  float* mean;
  float* squares;   ///< sum of (x - mean)^2
  float* gradient;  ///< sum of dy; as the next one, in the backward pass only
  float* product;   ///< sum of dy (x - mean)

  Sums(const Scratch<float>& scratch, std::int64_t count)
      : mean(scratch.data()),
        squares(mean + count),
        gradient(squares + count),
        product(gradient + count) {}
  static std::size_t floats(std::int64_t count) {
    return 4 * static_cast<std::size_t>(count);
  }
};

/// Of one item. Differences from its first position are summed, not the values: where a
/// channel's mean is much larger than its deviation, little of their squares would be
/// left after taking off the mean's.
template <bool kBackward>
PIPELINE_HD void sum_item(const Item& item, const float* x, const float* dy,
                          const Sums& sums) {
  float origin[kChannelsPerItem];
  float offset[kChannelsPerItem] = {};
  float square[kChannelsPerItem] = {};
  float gradient[kChannelsPerItem] = {};
  float product[kChannelsPerItem] = {};
  x += item.begin;
  for (std::int32_t c = 0; c < item.channels; ++c) origin[c] = x[c];
  if (kBackward) dy += item.begin;
  for (std::int32_t i = 0; i < item.positions; ++i, x += item.stride) {
    for (std::int32_t c = 0; c < item.channels; ++c) {
      const float apart = x[c] - origin[c];
      offset[c] += apart;
      square[c] += apart * apart;
      if (kBackward) {
        gradient[c] += dy[c];
        product[c] += dy[c] * apart;
      }
    }
    if (kBackward) dy += item.stride;
  }
  const std::int64_t at = item.piece * item.stride + item.channel;
  for (std::int32_t c = 0; c < item.channels; ++c) {
    const float mean_offset = offset[c] / static_cast<float>(item.positions);
    sums.mean[at + c] = origin[c] + mean_offset;
    sums.squares[at + c] = square[c] - mean_offset * offset[c];
    if (kBackward) {
      sums.gradient[at + c] = gradient[c];
      sums.product[at + c] = product[c] - mean_offset * gradient[c];
    }
  }
}

PIPELINE_HD inline double positions_in(std::int64_t piece, std::int64_t positions) {
  const std::int64_t left = positions - piece * kPositionsPerItem;
  return static_cast<double>(left < kPositionsPerItem ? left : kPositionsPerItem);
}

/// Puts the pieces together: the mean first, then what refers to it.
template <bool kBackward>
void add_pieces(Compute& on, const Extent& extent, const Sums& pieces,
                const Sums& all) {
  const std::int64_t count = extent.pieces();
  const std::int64_t positions = extent.positions;
  const std::int32_t channels = extent.channels;
  for_each_piece(
      on, 1, channels,
      [=] PIPELINE_HD(std::int32_t, std::int32_t first, std::int32_t end) {
        double mean[kColumnsPerItem] = {};
        double squares[kColumnsPerItem] = {};
        double gradient[kColumnsPerItem] = {};
        double product[kColumnsPerItem] = {};
        const std::int32_t width = piece_width(first, end);
        for (std::int64_t k = 0; k < count; ++k) {
          const float* part = pieces.mean + k * channels + first;
          const double share =
              positions_in(k, positions) / static_cast<double>(positions);
          for (std::int32_t c = 0; c < width; ++c) {
            mean[c] += share * static_cast<double>(part[c]);
          }
        }
        for (std::int64_t k = 0; k < count; ++k) {
          const std::int64_t at = k * channels + first;
          for (std::int32_t c = 0; c < width; ++c) {
            const double apart = static_cast<double>(pieces.mean[at + c]) - mean[c];
            squares[c] += static_cast<double>(pieces.squares[at + c]) +
                          positions_in(k, positions) * apart * apart;
            if (kBackward) {
              const auto sum = static_cast<double>(pieces.gradient[at + c]);
              gradient[c] += sum;
              product[c] += static_cast<double>(pieces.product[at + c]) + sum * apart;
            }
          }
        }
        for (std::int32_t c = 0; c < width; ++c) {
          all.mean[first + c] = static_cast<float>(mean[c]);
          all.squares[first + c] = static_cast<float>(squares[c]);
          if (kBackward) {
            all.gradient[first + c] = static_cast<float>(gradient[c]);
            all.product[first + c] = static_cast<float>(product[c]);
          }
        }
      });
}

/// `all` of each channel; of the gradients only where there is a dy.
template <bool kBackward>
void sum_positions(Compute& on, const Extent& extent, const float* x, const float* dy,
                   const Sums& all) {
  const std::int64_t count = extent.pieces() * extent.channels;
  const Scratch<float> scratch(on.scratch(), Sums::floats(count));
  const Sums pieces(scratch, count);
  for_each_item(on, extent, [=] PIPELINE_HD(const Item& item) {
    sum_item<kBackward>(item, x, dy, pieces);
  });
  add_pieces<kBackward>(on, extent, pieces, all);
}

/// The state: a row of `channels` floats each.
struct State {
  float* mean;      ///< running
  float* variance;  ///< running
  // Of the micro-batches so far, where they are deferred:
  float* count;
  float* gathered_mean;
  float* gathered_squares;

  static constexpr std::size_t kRunning = 2;
  static constexpr std::size_t kDeferred = 5;

  State(float* data, std::int32_t channels)
      : mean(data),
        variance(mean + channels),
        count(variance + channels),
        gathered_mean(count + channels),
        gathered_squares(gathered_mean + channels) {}

  /// The running statistics take in a mean and a sum of squares over `positions`.
  PIPELINE_HD void take_in(std::int32_t c, float seen, float squares,
                           float positions) const {
    const float unbiased = squares / (positions > 1 ? positions - 1 : 1);
    mean[c] += kBatchNormMomentum * (seen - mean[c]);
    variance[c] += kBatchNormMomentum * (unbiased - variance[c]);
  }
  /// Joins those of a micro-batch to those so far (Chan, Golub & LeVeque 1983, equation
  /// 2.1).
  PIPELINE_HD void gather(std::int32_t c, float seen, float squares,
                          float positions) const {
    const float both = count[c] + positions;
    const float apart = seen - gathered_mean[c];
    gathered_mean[c] += apart * (positions / both);
    gathered_squares[c] += squares + apart * apart * (count[c] * (positions / both));
    count[c] = both;
  }
};

/// What training leaves of a micro-batch.
void remember(Compute& on, BatchNormMode mode, const Extent& extent, const Sums& sums,
              const State& kept) {
  const auto positions = static_cast<float>(extent.positions);
  const bool deferred = mode == BatchNormMode::Deferred;
  for_each_index(on, extent.channels, [=] PIPELINE_HD(std::int64_t index) {
    const auto c = static_cast<std::int32_t>(index);
    if (deferred) {
      kept.gather(c, sums.mean[c], sums.squares[c], positions);
    } else {
      kept.take_in(c, sums.mean[c], sums.squares[c], positions);
    }
  });
}

class BatchNorm : public Layer {
 public:
  BatchNorm(const ImageShape& image, BatchNormMode mode) : image_(image), mode_(mode) {}

  std::string name() const override { return "batch norm " + image_.text(); }
  std::int32_t inputs() const override { return image_.columns(); }
  std::int32_t outputs() const override { return image_.columns(); }
  std::size_t parameter_count() const override { return 2 * channel_count(); }
  void initialise(float* parameters, std::uint64_t /*seed*/) const override {
    std::fill_n(parameters, channel_count(), 1.0F);
    std::fill_n(parameters + channel_count(), channel_count(), 0.0F);
  }

  std::size_t state_count() const override {
    return channel_count() *
           (mode_ == BatchNormMode::Deferred ? State::kDeferred : State::kRunning);
  }
  void initialise_state(float* state) const override {
    std::fill_n(state, state_count(), 0.0F);
    std::fill_n(state + channel_count(), channel_count(), 1.0F);
  }
  void end_step(Compute& on, float* state) const override {
    if (mode_ != BatchNormMode::Deferred) return;
    const State kept(state, image_.channels);
    for_each_index(on, image_.channels, [=] PIPELINE_HD(std::int64_t index) {
      const auto c = static_cast<std::int32_t>(index);
      if (kept.count[c] == 0) return;
      kept.take_in(c, kept.gathered_mean[c], kept.gathered_squares[c], kept.count[c]);
      kept.count[c] = 0;
      kept.gathered_mean[c] = 0;
      kept.gathered_squares[c] = 0;
    });
  }

  void forward(Compute& on, const Call& call, ConstMatrix x, Matrix y) const override;
  void input_gradient(Compute& on, const Call& call, ConstMatrix x, ConstMatrix dy,
                      Matrix dx) const override;
  void weight_gradient(Compute& on, const Call& call, ConstMatrix x, ConstMatrix dy,
                       float* gradients) const override;

 private:
  std::size_t channel_count() const {
    return static_cast<std::size_t>(image_.channels);
  }

  ImageShape image_;
  BatchNormMode mode_;
};

/// 1 / sqrt(variance + epsilon).
PIPELINE_HD inline float inverse_deviation(float variance) {
  return static_cast<float>(
      1 / std::sqrt(static_cast<double>(variance) + double{kBatchNormEpsilon}));
}

void BatchNorm::forward(Compute& on, const Call& call, ConstMatrix x, Matrix y) const {
  const Extent extent(x, image_.channels);
  const Scratch<float> scratch(on.scratch(), Sums::floats(extent.channels));
  const Sums sums(scratch, extent.channels);
  const float* mean = sums.mean;
  const float* squares = sums.squares;
  auto count = static_cast<float>(extent.positions);
  if (call.pass.training) {
    sum_positions<false>(on, extent, x.data, nullptr, sums);
    const bool counts = call.state != nullptr && !call.pass.again;
    if (counts) {
      remember(on, mode_, extent, sums, State(call.state, image_.channels));
    }
  } else {
    const State kept(call.state, image_.channels);
    mean = kept.mean;
    squares = kept.variance;
    count = 1;
  }
  const float* const scale = call.parameters;
  const float* const shift = scale + image_.channels;
  for_each_item(on, extent, [=] PIPELINE_HD(const Item& item) {
    float centre[kChannelsPerItem] = {};
    float factor[kChannelsPerItem] = {};
    float term[kChannelsPerItem] = {};
    for (std::int32_t c = 0; c < item.channels; ++c) {
      const std::int32_t channel = item.channel + c;
      centre[c] = mean[channel];
      factor[c] = scale[channel] * inverse_deviation(squares[channel] / count);
      term[c] = shift[channel];
    }
    const float* in = x.data + item.begin;
    float* out = y.data + item.begin;
    for (std::int32_t i = 0; i < item.positions; ++i) {
      for (std::int32_t c = 0; c < item.channels; ++c) {
        out[c] = (in[c] - centre[c]) * factor[c] + term[c];
      }
      in += item.stride;
      out += item.stride;
    }
  });
}

// With u = (x - mean) / deviation the output is scale u + shift, and a change of one x
// also moves mean and deviation:
//
//     dx = scale / deviation (dy - mean of dy - u (mean of dy u))
void BatchNorm::input_gradient(Compute& on, const Call& call, ConstMatrix x,
                               ConstMatrix dy, Matrix dx) const {
  assert(call.pass.training);
  const Extent extent(x, image_.channels);
  const Scratch<float> scratch(on.scratch(), Sums::floats(extent.channels));
  const Sums sums(scratch, extent.channels);
  sum_positions<true>(on, extent, x.data, dy.data, sums);
  const auto count = static_cast<float>(extent.positions);
  const float* const scale = call.parameters;
  for_each_item(on, extent, [=] PIPELINE_HD(const Item& item) {
    float centre[kChannelsPerItem] = {};
    float factor[kChannelsPerItem] = {};
    float gradient[kChannelsPerItem] = {};
    float product[kChannelsPerItem] = {};
    for (std::int32_t c = 0; c < item.channels; ++c) {
      const std::int32_t channel = item.channel + c;
      const float inverse = inverse_deviation(sums.squares[channel] / count);
      centre[c] = sums.mean[channel];
      factor[c] = scale[channel] * inverse;
      gradient[c] = sums.gradient[channel] / count;
      product[c] = inverse * inverse * (sums.product[channel] / count);
    }
    const float* in = x.data + item.begin;
    const float* from = dy.data + item.begin;
    float* out = dx.data + item.begin;
    for (std::int32_t i = 0; i < item.positions; ++i) {
      for (std::int32_t c = 0; c < item.channels; ++c) {
        out[c] = factor[c] * (from[c] - gradient[c] - (in[c] - centre[c]) * product[c]);
      }
      in += item.stride;
      from += item.stride;
      out += item.stride;
    }
  });
}

void BatchNorm::weight_gradient(Compute& on, const Call& call, ConstMatrix x,
                                ConstMatrix dy, float* gradients) const {
  assert(call.pass.training);
  const Extent extent(x, image_.channels);
  const Scratch<float> scratch(on.scratch(), Sums::floats(extent.channels));
  const Sums sums(scratch, extent.channels);
  sum_positions<true>(on, extent, x.data, dy.data, sums);
  const auto count = static_cast<float>(extent.positions);
  float* const dscale = gradients;
  float* const dshift = gradients + image_.channels;
  for_each_index(on, image_.channels, [=] PIPELINE_HD(std::int64_t c) {
    dscale[c] += sums.product[c] * inverse_deviation(sums.squares[c] / count);
    dshift[c] += sums.gradient[c];
  });
}

}  // namespace

std::unique_ptr<Layer> batch_norm(const ImageShape& image, BatchNormMode mode) {
  assert(image.columns() > 0);
  return std::make_unique<BatchNorm>(image, mode);
}

}  // namespace pipeline

#include "layers/dropout.hpp"

#include <cassert>
#include <cmath>

#include "layers/policy.hpp"
#include "layers/random.hpp"

namespace pipeline {

namespace {

/// Every bit of the result depends on every bit of `h` (the end of MurmurHash3, Appleby
/// 2011). 32 bits, so that the draws of neighbouring columns are a vector.
PIPELINE_HD inline std::uint32_t mixed(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bU;
  h ^= h >> 13;
  h *= 0xc2b2ae35U;
  return h ^ (h >> 16);
}

/// Draws of one row: a key of 64 bits, and the column as the counter.
struct RowDraws {
  std::uint32_t low = 0;
  std::uint32_t high = 0;

  PIPELINE_HD std::uint32_t operator()(std::int32_t column) const {
    return mixed(mixed(static_cast<std::uint32_t>(column) + low) ^ high);
  }
};

/// Which elements of a pass stay, and what they are multiplied by.
struct Mask {
  std::uint64_t key = 0;  ///< of seed, step and layer
  std::int32_t positions = 1;
  std::int32_t first_sample = 0;
  std::int32_t first_position = 0;
  std::uint32_t dropped = 0;  ///< draws below this are dropped: rate * 2^32
  float factor = 1;

  PIPELINE_HD RowDraws row(std::int32_t index) const {
    const auto sample = static_cast<std::uint32_t>(first_sample + index / positions);
    const auto position =
        static_cast<std::uint32_t>(first_position + index % positions);
    const auto low = static_cast<std::uint32_t>(key);
    const auto high = static_cast<std::uint32_t>(key >> 32);
    return {mixed(mixed(low + sample) + position),
            mixed(mixed(high + position) + sample)};
  }
  PIPELINE_HD float scale(const RowDraws& draws, std::int32_t column) const {
    return draws(column) < dropped ? 0.0F : factor;
  }
};

/// to = from, masked.
void apply(Compute& on, const Mask& mask, ConstMatrix from, Matrix to) {
  for_each_piece(
      on, from.rows, from.columns,
      [=] PIPELINE_HD(std::int32_t row, std::int32_t first, std::int32_t end) {
        const RowDraws draws = mask.row(row);
        const std::int64_t start = static_cast<std::int64_t>(row) * from.columns;
        const float* in = from.data + start;
        float* out = to.data + start;
        for (std::int32_t j = first; j < end; ++j) {
          out[j] = in[j] * mask.scale(draws, j);
        }
      });
}

class Dropout : public Layer {
 public:
  Dropout(std::int32_t width, float rate, std::int32_t layer)
      : width_(width), rate_(rate), layer_(layer) {}

  std::string name() const override { return "dropout " + std::to_string(width_); }
  std::int32_t inputs() const override { return width_; }
  std::int32_t outputs() const override { return width_; }
  std::size_t parameter_count() const override { return 0; }
  void initialise(float*, std::uint64_t) const override {}

  void forward(Compute& on, const Call& call, ConstMatrix x, Matrix y) const override {
    apply(on, mask_of(call.pass), x, y);
  }
  void input_gradient(Compute& on, const Call& call, ConstMatrix /*x*/, ConstMatrix dy,
                      Matrix dx) const override {
    apply(on, mask_of(call.pass), dy, dx);
  }
  void weight_gradient(Compute&, const Call&, ConstMatrix, ConstMatrix,
                       float*) const override {}

 private:
  Mask mask_of(const Pass& pass) const {
    // One draw after the other, so that no two of seed, step and layer can stand for
    // one another.
    const std::uint64_t of_seed = Random(pass.seed).next();
    const std::uint64_t of_step =
        Random(of_seed ^ static_cast<std::uint64_t>(pass.step)).next();
    Mask mask;
    mask.key = Random(of_step ^ static_cast<std::uint64_t>(layer_)).next();
    mask.positions = pass.positions;
    mask.first_sample = pass.first_sample;
    mask.first_position = pass.first_position;
    if (pass.training) {
      mask.dropped = static_cast<std::uint32_t>(static_cast<double>(rate_) * 0x1p32);
      mask.factor = 1 / (1 - rate_);
    }
    return mask;
  }
  std::int32_t width_;
  float rate_;
  std::int32_t layer_;
};

}  // namespace

std::unique_ptr<Layer> dropout(std::int32_t width, float rate, std::int32_t layer) {
  assert(width > 0 && rate >= 0 && rate < 1);
  return std::make_unique<Dropout>(width, rate, layer);
}

}  // namespace pipeline

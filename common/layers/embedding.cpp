#include "layers/embedding.hpp"

#include <cassert>

#include "layers/initialise.hpp"
#include "layers/matmul.hpp"
#include "layers/policy.hpp"

namespace pipeline {

namespace {

constexpr double kDeviation = 0.02;

std::size_t table_size(std::int32_t rows, std::int32_t columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

/// Row `row` of a table `columns` wide.
template <typename Float>
PIPELINE_HD Float* row_of(Float* table, std::int64_t row, std::int32_t columns) {
  return table + row * columns;
}

class Embedding : public Layer {
 public:
  Embedding(std::int32_t vocabulary, std::int32_t positions, std::int32_t width)
      : vocabulary_(vocabulary), positions_(positions), width_(width) {}

  std::string name() const override {
    return "embedding " + std::to_string(vocabulary_) + " -> " + std::to_string(width_);
  }
  std::int32_t inputs() const override { return 1; }
  std::int32_t outputs() const override { return width_; }
  std::size_t parameter_count() const override {
    return token_count() + table_size(positions_, width_);
  }
  std::size_t decayed_count() const override { return parameter_count(); }
  void initialise(float* parameters, std::uint64_t seed) const override {
    normal(parameters, parameter_count(), kDeviation, seed);
  }

  void forward(Compute& on, const Call& call, ConstMatrix x, Matrix y) const override {
    assert(call.pass.first_position + call.pass.positions <= positions_);
    const float* tokens = call.parameters;
    const float* places =
        row_of(tokens + token_count(), call.pass.first_position, width_);
    const std::int32_t positions = call.pass.positions;
    for_each_piece(
        on, y.rows, y.columns,
        [=] PIPELINE_HD(std::int32_t row, std::int32_t first, std::int32_t end) {
          const float* token =
              row_of(tokens, static_cast<std::int64_t>(x.data[row]), y.columns);
          const float* place = row_of(places, row % positions, y.columns);
          float* out = row_of(y.data, row, y.columns);
          for (std::int32_t j = first; j < end; ++j) out[j] = token[j] + place[j];
        });
  }

  void input_gradient(Compute& on, const Call& /*call*/, ConstMatrix /*x*/,
                      ConstMatrix /*dy*/, Matrix dx) const override {
    for_each_index(on, static_cast<std::int64_t>(dx.size()),
                   [=] PIPELINE_HD(std::int64_t i) { dx.data[i] = 0; });
  }

  /// A token may stand in many rows: they are added one after the other, columns side
  /// by side, so that the order is always the same. A place stands once in each sample.
  void weight_gradient(Compute& on, const Call& call, ConstMatrix x, ConstMatrix dy,
                       float* gradients) const override {
    for_each_piece(on, 1, width_,
                   [=] PIPELINE_HD(std::int32_t, std::int32_t first, std::int32_t end) {
                     for (std::int32_t i = 0; i < dy.rows; ++i) {
                       float* sum = row_of(
                           gradients, static_cast<std::int64_t>(x.data[i]), dy.columns);
                       const float* in = row_of(dy.data, i, dy.columns);
                       for (std::int32_t j = first; j < end; ++j) sum[j] += in[j];
                     }
                   });
    float* const places =
        row_of(gradients + token_count(), call.pass.first_position, width_);
    const std::int32_t positions = call.pass.positions;
    for_each_piece(
        on, positions, width_,
        [=] PIPELINE_HD(std::int32_t place, std::int32_t first, std::int32_t end) {
          float* sum = row_of(places, place, dy.columns);
          for (std::int32_t i = place; i < dy.rows; i += positions) {
            const float* in = row_of(dy.data, i, dy.columns);
            for (std::int32_t j = first; j < end; ++j) sum[j] += in[j];
          }
        });
  }

 private:
  std::size_t token_count() const { return table_size(vocabulary_, width_); }
  std::int32_t vocabulary_;
  std::int32_t positions_;
  std::int32_t width_;
};

class Unembedding : public Layer {
 public:
  Unembedding(std::int32_t width, std::int32_t vocabulary)
      : width_(width), vocabulary_(vocabulary) {}

  std::string name() const override {
    return "unembedding " + std::to_string(width_) + " -> " +
           std::to_string(vocabulary_);
  }
  std::int32_t inputs() const override { return width_; }
  std::int32_t outputs() const override { return vocabulary_; }
  std::size_t parameter_count() const override {
    return table_size(vocabulary_, width_);
  }
  std::size_t decayed_count() const override { return parameter_count(); }
  void initialise(float* parameters, std::uint64_t seed) const override {
    normal(parameters, parameter_count(), kDeviation, seed);
  }
  void forward(Compute& on, const Call& call, ConstMatrix x, Matrix y) const override {
    matmul(on, Transpose::No, x, Transpose::Yes, tokens(call.parameters), 0, y);
  }
  void input_gradient(Compute& on, const Call& call, ConstMatrix /*x*/, ConstMatrix dy,
                      Matrix dx) const override {
    matmul(on, Transpose::No, dy, Transpose::No, tokens(call.parameters), 0, dx);
  }
  void weight_gradient(Compute& on, const Call& /*call*/, ConstMatrix x, ConstMatrix dy,
                       float* gradients) const override {
    matmul(on, Transpose::Yes, dy, Transpose::No, x, 1,
           Matrix{gradients, vocabulary_, width_});
  }

 private:
  ConstMatrix tokens(const float* parameters) const {
    return {parameters, vocabulary_, width_};
  }
  std::int32_t width_;
  std::int32_t vocabulary_;
};

}  // namespace

std::unique_ptr<Layer> embedding(std::int32_t vocabulary, std::int32_t positions,
                                 std::int32_t width) {
  assert(vocabulary > 0 && positions > 0 && width > 0);
  return std::make_unique<Embedding>(vocabulary, positions, width);
}

std::unique_ptr<Layer> unembedding(std::int32_t width, std::int32_t vocabulary) {
  assert(width > 0 && vocabulary > 0);
  return std::make_unique<Unembedding>(width, vocabulary);
}

}  // namespace pipeline

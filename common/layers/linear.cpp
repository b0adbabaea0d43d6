#include <algorithm>
#include <cassert>
#include <optional>

#include "layers/initialise.hpp"
#include "layers/layer.hpp"
#include "layers/matmul.hpp"
#include "layers/policy.hpp"

namespace pipeline {

namespace {

/// sums[j] += the sum of column j, from the first row to the last.
void add_column_sums(Compute& on, ConstMatrix m, float* sums) {
  for_each_piece(on, 1, m.columns,
                 [=] PIPELINE_HD(std::int32_t, std::int32_t first, std::int32_t end) {
                   float piece[kColumnsPerItem] = {};
                   const float* in = m.data + first;
                   const std::int32_t width = piece_width(first, end);
                   for (std::int32_t i = 0; i < m.rows; ++i, in += m.columns) {
                     for (std::int32_t j = 0; j < width; ++j) piece[j] += in[j];
                   }
                   for (std::int32_t j = 0; j < width; ++j) sums[first + j] += piece[j];
                 });
}

class Linear : public Layer {
 public:
  /// `deviation` of the weights at the start; none: He-uniform.
  Linear(std::int32_t inputs, std::int32_t outputs, std::optional<double> deviation)
      : inputs_(inputs), outputs_(outputs), deviation_(deviation) {}

  std::string name() const override {
    return "linear " + std::to_string(inputs_) + " -> " + std::to_string(outputs_);
  }
  std::int32_t inputs() const override { return inputs_; }
  std::int32_t outputs() const override { return outputs_; }
  std::size_t parameter_count() const override {
    return weight_count() + static_cast<std::size_t>(outputs_);
  }
  std::size_t decayed_count() const override { return weight_count(); }
  void initialise(float* parameters, std::uint64_t seed) const override {
    if (deviation_) {
      normal(parameters, weight_count(), *deviation_, seed);
    } else {
      he_uniform(parameters, weight_count(), inputs_, seed);
    }
    std::fill_n(parameters + weight_count(), outputs_, 0.0F);
  }
  void forward(Compute& on, const Call& call, ConstMatrix x, Matrix y) const override {
    matmul_with_bias(on, x, weights(call.parameters), call.parameters + weight_count(),
                     y);
  }
  void input_gradient(Compute& on, const Call& call, ConstMatrix /*x*/, ConstMatrix dy,
                      Matrix dx) const override {
    matmul(on, Transpose::No, dy, Transpose::Yes, weights(call.parameters), 0, dx);
  }
  void weight_gradient(Compute& on, const Call& /*call*/, ConstMatrix x, ConstMatrix dy,
                       float* gradients) const override {
    matmul(on, Transpose::Yes, x, Transpose::No, dy, 1,
           Matrix{gradients, inputs_, outputs_});
    add_column_sums(on, dy, gradients + weight_count());
  }

 private:
  std::size_t weight_count() const {
    return static_cast<std::size_t>(inputs_) * static_cast<std::size_t>(outputs_);
  }
  ConstMatrix weights(const float* parameters) const {
    return {parameters, inputs_, outputs_};
  }
  std::int32_t inputs_;
  std::int32_t outputs_;
  std::optional<double> deviation_;
};

}  // namespace

std::unique_ptr<Layer> linear(std::int32_t inputs, std::int32_t outputs) {
  assert(inputs > 0 && outputs > 0);
  return std::make_unique<Linear>(inputs, outputs, std::nullopt);
}

std::unique_ptr<Layer> linear(std::int32_t inputs, std::int32_t outputs,
                              double deviation) {
  assert(inputs > 0 && outputs > 0);
  return std::make_unique<Linear>(inputs, outputs, deviation);
}

}  // namespace pipeline

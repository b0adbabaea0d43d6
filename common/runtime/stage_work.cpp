#include "runtime/stage_work.hpp"

#include "layers/sums.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kAlignedFloats = 64 / sizeof(float);

std::size_t padded(std::int32_t rows, std::int32_t columns) {
  const std::size_t floats = static_cast<std::size_t>(rows) * columns;
  return (floats + kAlignedFloats - 1) / kAlignedFloats * kAlignedFloats;
}

/// One layer's view of a micro-batch.
class LayerData {
 public:
  LayerData(const StageLayout& layout, const MicroBatchData& data)
      : layout_(layout), data_(data) {}

  std::size_t layers() const { return layout_.stage->layers.size(); }
  const Layer& layer(std::size_t i) const { return *layout_.stage->layers[i]; }

  const float* weights(std::size_t i) const {
    return data_.weights + layout_.stage->offsets[i];
  }
  Matrix x(std::size_t i) const {
    return {data_.slot + layout_.input_at[i], data_.rows, layer(i).inputs()};
  }
  Matrix y(std::size_t i) const {
    if (i + 1 < layers()) return x(i + 1);
    if (layout_.stage->last) return logits();
    return {data_.output, data_.rows, layer(i).outputs()};
  }
  Matrix logits() const {
    return {data_.slot + layout_.logits_at, data_.rows, layout_.stage->outputs()};
  }
  Matrix dy(std::size_t i) const {
    float* const at =
        i + 1 < layers() ? data_.inner + layout_.gradient_at[i] : data_.output_gradient;
    return {at, data_.rows, layer(i).outputs()};
  }
  Matrix dx(std::size_t i) const {
    if (i > 0) return dy(i - 1);
    return {data_.input_gradient, data_.rows, layer(0).inputs()};
  }

 private:
  const StageLayout& layout_;
  const MicroBatchData& data_;
};

void loss_gradient(const StageLayout& layout, Compute& on, const MicroBatchData& data) {
  if (!layout.stage->last) return;
  const LayerData at(layout, data);
  softmax_cross_entropy_gradient(on, at.logits(), data.labels, data.loss_weight,
                                 at.dy(at.layers() - 1));
}

void layer_input_gradient(const Stage& stage, Compute& on, const LayerData& at,
                          std::size_t i) {
  if (stage.first && i == 0) return;
  at.layer(i).input_gradient(on, at.weights(i), at.x(i), at.dy(i), at.dx(i));
}

void layer_weight_gradient(const Stage& stage, Compute& on, const LayerData& at,
                           std::size_t i) {
  if (at.layer(i).parameter_count() == 0) return;
  at.layer(i).weight_gradient(on, {}, at.x(i), at.dy(i), stage.gradients_of(i));
}

}  // namespace

StageLayout::StageLayout(const Stage& of, std::int32_t most_rows) : stage(&of) {
  std::size_t slot = 0;
  std::size_t inner = 0;
  for (std::size_t i = 0; i < of.layers.size(); ++i) {
    input_at.push_back(slot);
    slot += padded(most_rows, of.layers[i]->inputs());
    if (i + 1 == of.layers.size()) continue;
    gradient_at.push_back(inner);
    inner += padded(most_rows, of.layers[i]->outputs());
  }
  logits_at = slot;
  if (of.last) slot += padded(most_rows, of.outputs());
  slot_bytes = slot * sizeof(float);
  inner_bytes = inner * sizeof(float);
  input_bytes = padded(most_rows, of.inputs()) * sizeof(float);
  output_bytes = padded(most_rows, of.outputs()) * sizeof(float);
}

void stage_forward(const StageLayout& layout, Compute& on, const MicroBatchData& data) {
  const Stage& stage = *layout.stage;
  const LayerData at(layout, data);
  for (std::size_t i = 0; i < at.layers(); ++i) {
    at.layer(i).forward(on, at.weights(i), at.x(i), at.y(i));
  }
  if (stage.last) {
    softmax_cross_entropy(on, at.logits(), data.labels, data.loss_sum, data.correct);
  }
}

void stage_input_gradient(const StageLayout& layout, Compute& on,
                          const MicroBatchData& data) {
  const LayerData at(layout, data);
  loss_gradient(layout, on, data);
  for (std::size_t i = at.layers(); i-- > 0;) {
    layer_input_gradient(*layout.stage, on, at, i);
  }
}

void stage_weight_gradient(const StageLayout& layout, Compute& on,
                           const MicroBatchData& data) {
  const LayerData at(layout, data);
  for (std::size_t i = at.layers(); i-- > 0;) {
    layer_weight_gradient(*layout.stage, on, at, i);
  }
}

void stage_backward(const StageLayout& layout, Compute& on,
                    const MicroBatchData& data) {
  const LayerData at(layout, data);
  loss_gradient(layout, on, data);
  for (std::size_t i = at.layers(); i-- > 0;) {
    layer_weight_gradient(*layout.stage, on, at, i);
    layer_input_gradient(*layout.stage, on, at, i);
  }
}

void stage_update(const Stage& stage, Compute& on, const UpdateData& data) {
  if (stage.parameter_count == 0) return;
  float* const gradients = stage.gradients.region().floats();
  if (data.gradient_scale != nullptr) {
    scale(on, stage.parameter_count, gradients, data.gradient_scale);
  }
  sgd_update(on, stage.parameter_count, data.weights, data.new_weights, gradients,
             stage.velocity.region().floats(), data.rate, data.momentum);
}

}  // namespace pipeline

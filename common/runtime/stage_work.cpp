#include "runtime/stage_work.hpp"

#include "layers/finite.hpp"
#include "layers/sums.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kAlignedFloats = 64 / sizeof(float);

std::size_t floats_of(std::int32_t rows, std::int32_t columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

std::size_t padded(std::int32_t rows, std::int32_t columns) {
  return (floats_of(rows, columns) + kAlignedFloats - 1) / kAlignedFloats *
         kAlignedFloats;
}

/// Where skip number `n` of a message begins.
std::size_t skip_at(std::int32_t rows, std::int32_t width,
                    const std::vector<CutSkip>& skips, std::size_t n) {
  std::size_t at = padded(rows, width);
  for (std::size_t i = 0; i < n; ++i) at += padded(rows, skips[i].width);
  return at;
}

std::size_t message_floats(std::int32_t rows, std::int32_t width,
                           const std::vector<CutSkip>& skips) {
  if (skips.empty()) return floats_of(rows, width);
  return skip_at(rows, width, skips, skips.size() - 1) +
         floats_of(rows, skips.back().width);
}

/// The place of a skip among those that a boundary cuts.
std::size_t place_in(const std::vector<CutSkip>& cut, const Skip& skip) {
  std::size_t n = 0;
  while (cut[n].skip != skip) ++n;
  return n;
}

/// One layer's view of a micro-batch.
class LayerData {
 public:
  LayerData(const StageLayout& layout, const MicroBatchData& data)
      : LayerData(layout, data, data.slot) {}
  LayerData(const StageLayout& layout, const MicroBatchData& data, float* slot)
      : layout_(layout), data_(data), slot_(slot) {}

  const Stage& stage() const { return *layout_.stage; }
  std::size_t layers() const { return stage().layers.size(); }
  const Layer& layer(std::size_t i) const { return *stage().layers[i]; }

  Call call(std::size_t i) const {
    Call call(data_.weights + stage().offsets[i]);
    call.pass = data_.pass;
    if (layer(i).state_count() > 0) {
      call.state = stage().state.region().floats() + stage().state_offsets[i];
    }
    if (data_.cache != nullptr) {
      call.cache = data_.cache + cache_at(i);
    }
    return call;
  }
  Matrix x(std::size_t i) const {
    return {i == 0 ? data_.input : slot_ + layout_.input_at[i], data_.rows,
            layer(i).inputs()};
  }
  Matrix y(std::size_t i) const {
    if (i + 1 < layers()) return x(i + 1);
    if (stage().last) return logits();
    return {data_.output, data_.rows, layer(i).outputs()};
  }
  Matrix logits() const {
    return {slot_ + layout_.logits_at, data_.rows, stage().outputs()};
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

  // --- Skips

  /// The value of a skip: an input of this stage's, or one that came with the message.
  ConstMatrix value(const Skip& skip) const {
    if (stage().holds(skip.from)) return x(stage().place_of(skip.from));
    return arrived(data_.input, skip);
  }
  /// Its gradient: that of an output of this stage's, or one that came back.
  ConstMatrix gradient(const Skip& skip) const {
    if (stage().holds(skip.to)) return dy(stage().place_of(skip.to));
    return leaving(data_.output_gradient, skip);
  }
  /// In a message from or to the previous stage.
  Matrix arrived(float* message, const Skip& skip) const {
    const std::size_t n = place_in(stage().skips_in, skip);
    return {message + layout_.skip_in_at(data_.rows, n), data_.rows,
            stage().skips_in[n].width};
  }
  /// In a message to or from the next stage.
  Matrix leaving(float* message, const Skip& skip) const {
    const std::size_t n = place_in(stage().skips_out, skip);
    return {message + layout_.skip_out_at(data_.rows, n), data_.rows,
            stage().skips_out[n].width};
  }

 private:
  std::size_t cache_at(std::size_t i) const {
    std::size_t at = 0;
    for (std::size_t before = 0; before < i; ++before) {
      at += stage().cache_floats_of(before, data_.samples, data_.pass.all_positions);
    }
    return at;
  }
  const StageLayout& layout_;
  const MicroBatchData& data_;
  float* slot_;
};

void add_to(Compute& on, Matrix sum, ConstMatrix more) {
  add(on, sum.size(), sum.data, more.data, sum.data);
}

void copy_to(Compute& on, Matrix to, ConstMatrix from) {
  copy(on, to.size(), from.data, to.data);
}

void loss_gradient(Compute& on, const LayerData& at, const MicroBatchData& data) {
  if (!at.stage().last) return;
  softmax_cross_entropy_gradient(on, at.logits(), data.labels, data.loss_weight,
                                 at.dy(at.layers() - 1));
}

/// Through layer i, and then the skip that ends there.
void layer_forward(Compute& on, const LayerData& at, std::size_t i) {
  at.layer(i).forward(on, at.call(i), at.x(i), at.y(i));
  for (const Skip& skip : at.stage().skips) {
    if (skip.to == at.stage().layer_at(i)) add_to(on, at.y(i), at.value(skip));
  }
}

/// The gradient of layer i's input: through the layer, and then, in order, through the
/// skips that begin there.
void layer_input_gradient(Compute& on, const LayerData& at, std::size_t i) {
  const Stage& stage = at.stage();
  if (stage.first && i == 0) return;
  at.layer(i).input_gradient(on, at.call(i), at.x(i), at.dy(i), at.dx(i));
  for (const Skip& skip : stage.skips) {
    if (skip.from != stage.layer_at(i)) continue;
    add_to(on, at.dx(i), at.gradient(skip));
  }
}

void layer_weight_gradient(Compute& on, const LayerData& at, std::size_t i) {
  if (at.layer(i).parameter_count() == 0) return;
  at.layer(i).weight_gradient(on, at.call(i), at.x(i), at.dy(i),
                              at.stage().gradients_of(i));
}

/// Gradients of skips that began on an earlier stage.
void send_back_skips(Compute& on, const LayerData& at, const MicroBatchData& data) {
  for (const CutSkip& cut : at.stage().skips_in) {
    copy_to(on, at.arrived(data.input_gradient, cut.skip), at.gradient(cut.skip));
  }
}

/// Only where the last output is not finite, which is seldom, are the others looked at.
void find_not_finite(const LayerData& at, Compute& on, const MicroBatchData& data) {
  if (data.not_finite == nullptr) return;
  const std::size_t last = at.layers() - 1;
  mark_if_not_finite(on, at.y(last), data.number, nullptr, data.not_finite + last);
  for (std::size_t i = 0; i < last; ++i) {
    mark_if_not_finite(on, at.y(i), data.number, data.not_finite + last,
                       data.not_finite + i);
  }
}

}  // namespace

StageLayout::StageLayout(const Stage& of, std::int32_t most_rows) : stage(&of) {
  std::size_t slot = 0;
  std::size_t inner = 0;
  for (std::size_t i = 0; i < of.layers.size(); ++i) {
    input_at.push_back(slot);
    if (i > 0) slot += padded(most_rows, of.layers[i]->inputs());
    if (i + 1 == of.layers.size()) continue;
    gradient_at.push_back(inner);
    inner += padded(most_rows, of.layers[i]->outputs());
  }
  logits_at = slot;
  if (of.last) slot += padded(most_rows, of.outputs());
  slot_bytes = slot * sizeof(float);
  inner_bytes = inner * sizeof(float);
  const auto message_bytes = [&](std::int32_t width,
                                 const std::vector<CutSkip>& skips) {
    return skip_at(most_rows, width, skips, skips.size()) * sizeof(float);
  };
  input_bytes = message_bytes(of.inputs(), of.skips_in);
  output_bytes = message_bytes(of.outputs(), of.skips_out);
}

std::size_t StageLayout::input_floats(std::int32_t rows) const {
  return message_floats(rows, stage->inputs(), stage->skips_in);
}

std::size_t StageLayout::output_floats(std::int32_t rows) const {
  return message_floats(rows, stage->outputs(), stage->skips_out);
}

std::size_t StageLayout::skip_in_at(std::int32_t rows, std::size_t n) const {
  return skip_at(rows, stage->inputs(), stage->skips_in, n);
}

std::size_t StageLayout::skip_out_at(std::int32_t rows, std::size_t n) const {
  return skip_at(rows, stage->outputs(), stage->skips_out, n);
}

void stage_forward(const StageLayout& layout, Compute& on, const MicroBatchData& data) {
  const LayerData at(layout, data,
                     data.passing_slot != nullptr ? data.passing_slot : data.slot);
  const Stage& stage = at.stage();
  for (std::size_t i = 0; i < at.layers(); ++i) layer_forward(on, at, i);
  for (const CutSkip& cut : stage.skips_out) {
    copy_to(on, at.leaving(data.output, cut.skip), at.value(cut.skip));
  }
  find_not_finite(at, on, data);
  if (stage.last) {
    softmax_cross_entropy(on, at.logits(), data.labels, data.loss_sum, data.correct);
  }
}

void stage_recompute(const StageLayout& layout, Compute& on,
                     const MicroBatchData& data) {
  MicroBatchData again = data;
  again.pass.again = true;
  const LayerData at(layout, again);
  const std::size_t needed = at.stage().last ? at.layers() : at.layers() - 1;
  for (std::size_t i = 0; i < needed; ++i) layer_forward(on, at, i);
}

void stage_input_gradient(const StageLayout& layout, Compute& on,
                          const MicroBatchData& data) {
  const LayerData at(layout, data);
  loss_gradient(on, at, data);
  for (std::size_t i = at.layers(); i-- > 0;) layer_input_gradient(on, at, i);
  send_back_skips(on, at, data);
}

void stage_weight_gradient(const StageLayout& layout, Compute& on,
                           const MicroBatchData& data) {
  const LayerData at(layout, data);
  for (std::size_t i = at.layers(); i-- > 0;) layer_weight_gradient(on, at, i);
}

void stage_backward(const StageLayout& layout, Compute& on,
                    const MicroBatchData& data) {
  const LayerData at(layout, data);
  loss_gradient(on, at, data);
  for (std::size_t i = at.layers(); i-- > 0;) {
    layer_weight_gradient(on, at, i);
    layer_input_gradient(on, at, i);
  }
  send_back_skips(on, at, data);
}

void stage_update(const Stage& stage, Compute& on, const UpdateData& data) {
  for (std::size_t i = 0; i < stage.layers.size(); ++i) {
    const Layer& layer = *stage.layers[i];
    if (layer.state_count() > 0) {
      layer.end_step(on, stage.state.region().floats() + stage.state_offsets[i]);
    }
    const std::size_t count = layer.parameter_count();
    if (count == 0) continue;
    float* const gradients = stage.gradients_of(i);
    if (data.gradient_scale != nullptr) {
      scale(on, count, gradients, data.gradient_scale);
    }
    float* const moments = stage.moments.region().floats() + stage.offsets[i];
    const bool two = data.optimizer->moments() == 2;
    update(on, *data.optimizer, data.step,
           {count, layer.decayed_count(), data.weights + stage.offsets[i],
            data.new_weights + stage.offsets[i], gradients, moments,
            two ? moments + stage.parameter_count : nullptr});
  }
}

}  // namespace pipeline

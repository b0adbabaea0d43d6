#include "classroom/relay.hpp"

namespace pipeline {

RelayStage::RelayStage(Device& device, std::int32_t rows, std::int32_t micro_batches)
    : layers_(std::make_unique<Layers>(device)),
      compute_(device.make_stream("compute")),
      copy_(device.make_stream("copy")) {
  Layers& layers = *layers_;
  layers.rows = rows;
  const auto message = static_cast<std::size_t>(message_bytes(rows));
  layers.middle = Buffer(device, message / kNarrow * kWide);
  std::vector<float> parameters(layers.widen->parameter_count() +
                                layers.narrow->parameter_count());
  layers.widen->initialise(parameters.data(), 1);
  layers.narrow->initialise(parameters.data() + layers.widen->parameter_count(), 2);
  layers.weights = Buffer(device, parameters.size() * sizeof(float));
  fill(layers.weights, parameters);

  std::vector<float> rows_of_input(message / sizeof(float));
  for (std::size_t i = 0; i < rows_of_input.size(); ++i) {
    rows_of_input[i] = 0.1F * static_cast<float>(static_cast<int>(i % 13) - 6);
  }
  for (Slot& slot : slots_) {
    slot.in = Buffer(device, message);
    slot.out = Buffer(device, message);
    slot.computed = device.make_event();
    slot.sent = device.make_event();
    slot.received = device.make_event();
    fill(slot.in, rows_of_input);
  }
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    begin_.push_back(device.make_mark());
    end_.push_back(device.make_mark());
  }
}

void RelayStage::fill(const Buffer& buffer, const std::vector<float>& values) {
  // The host's side of a copy is only read.
  auto* from = const_cast<float*>(values.data());
  compute_->copy(buffer.region(),
                 {reinterpret_cast<std::byte*>(from), buffer.region().bytes, nullptr});
  compute_->synchronize();
}

void RelayStage::forward(std::int32_t k) {
  const auto index = static_cast<std::size_t>(k);
  Layers* layers = layers_.get();
  float* x = input(k).floats();
  float* y = output(k).floats();
  compute_->mark(*begin_[index]);
  compute_->run(Work([layers, x, y](NativeStream stream) {
    layers->workspace.enter(stream);
    const float* parameters = layers->weights.region().floats();
    const Matrix wide = {layers->middle.region().floats(), layers->rows, kWide};
    layers->widen->forward(layers->workspace, parameters, {x, layers->rows, kNarrow},
                           wide);
    layers->narrow->forward(layers->workspace,
                            parameters + layers->widen->parameter_count(), wide,
                            {y, layers->rows, kNarrow});
  }));
  compute_->mark(*end_[index]);
  compute_->record(computed(k));
}

void RelayStage::synchronize() {
  compute_->synchronize();
  copy_->synchronize();
}

std::vector<Span> RelayStage::spans(const Platform& platform, const RelayStage& origin,
                                    std::int32_t micro_batches) const {
  std::vector<Span> spans;
  for (std::size_t k = 0; k < static_cast<std::size_t>(micro_batches); ++k) {
    spans.push_back({platform.seconds_between(*origin.begin_.front(), *begin_[k]),
                     platform.seconds_between(*origin.begin_.front(), *end_[k])});
  }
  return spans;
}

}  // namespace pipeline

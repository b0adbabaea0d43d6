/// \file
/// Training one micro-batch at a time on one device, with every version of the weights
/// written down: what the tests hold the runtime against. It shares the layers with it,
/// and nothing else. Test code.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/split.hpp"
#include "layers/compute.hpp"
#include "layers/device_array.hpp"
#include "layers/layer.hpp"
#include "runtime/small_training.hpp"

namespace pipeline {

/// Of each layer.
using Parameters = std::vector<std::vector<float>>;

inline std::vector<float> in_one(const Parameters& parameters) {
  std::vector<float> all;
  for (const auto& layer : parameters) {
    all.insert(all.end(), layer.begin(), layer.end());
  }
  return all;
}

class ReferenceTraining {
 public:
  ReferenceTraining(Platform& platform, const Network& network,
                    const Optimizer& optimizer = {})
      : network_(network),
        optimizer_(optimizer),
        stream_(platform.device(0).make_stream("reference")),
        compute_(platform.device(0)) {
    const auto layers = static_cast<std::int32_t>(network.size());
    auto placed =
        *PlacedNetwork::place(platform, network, {0, layers}, {1, {0}}, kSmallSeed);
    const std::vector<float> all = placed->weights();
    auto next = all.begin();
    for (const auto& layer : network) {
      const auto count = static_cast<std::ptrdiff_t>(layer->parameter_count());
      start_.emplace_back(next, next + count);
      next += count;
    }
    velocity_ = zeros();
  }

  const Parameters& start() const { return start_; }
  Parameters zeros() const {
    Parameters all;
    for (const auto& layer : network_) all.emplace_back(layer->parameter_count(), 0.0F);
    return all;
  }

  /// Adds the gradients of some rows to those of layers [first, end), which `gradients`
  /// holds; `weights` are those of all layers.
  void add_gradients(const Parameters& weights, const Batch& rows, float loss_weight,
                     std::size_t first, std::size_t end, Parameters& gradients) {
    const std::size_t layers = network_.size();
    std::vector<DeviceArray<float>> x;  // of each layer, and the logits
    std::vector<DeviceArray<float>> w;
    const float* const rows_end =
        rows.inputs + std::ptrdiff_t{rows.rows} * SmallData::kInputs;
    x.emplace_back(*stream_, std::vector<float>(rows.inputs, rows_end));
    for (std::size_t i = 0; i < layers; ++i) {
      w.emplace_back(*stream_, weights[i]);
      x.emplace_back(*stream_, blank(rows.rows, network_[i]->outputs()));
      run([&](Compute& on) {
        network_[i]->forward(on, w[i].data(), in(x[i], rows, i),
                             out(x[i + 1], rows, i));
      });
    }
    const DeviceArray<std::int32_t> labels(
        *stream_, std::vector<std::int32_t>(rows.labels, rows.labels + rows.rows));
    DeviceArray<float> dy(*stream_, blank(rows.rows, network_.back()->outputs()));
    run([&](Compute& on) {
      softmax_cross_entropy_gradient(on, out(x[layers], rows, layers - 1),
                                     labels.data(), loss_weight,
                                     out(dy, rows, layers - 1));
    });
    std::vector<DeviceArray<float>> kept;
    kept.push_back(std::move(dy));
    for (std::size_t i = layers; i-- > 0;) {
      const DeviceArray<float> g(*stream_, gradients[i]);
      kept.emplace_back(*stream_, blank(rows.rows, network_[i]->inputs()));
      DeviceArray<float>& to_here = kept[kept.size() - 2];
      if (first <= i && i < end) {
        run([&](Compute& on) {
          network_[i]->weight_gradient(on, {}, in(x[i], rows, i), out(to_here, rows, i),
                                       g.data());
        });
        gradients[i] = g.read();
      }
      run([&](Compute& on) {
        network_[i]->input_gradient(on, w[i].data(), in(x[i], rows, i),
                                    out(to_here, rows, i), in(kept.back(), rows, i));
      });
    }
  }
  void add_gradients(const Parameters& weights, const Batch& rows, float loss_weight,
                     Parameters& gradients) {
    add_gradients(weights, rows, loss_weight, 0, network_.size(), gradients);
  }

  /// One layer's next version: newest - rate * velocity.
  std::vector<float> updated(const std::vector<float>& newest,
                             const std::vector<float>& gradients, std::size_t layer) {
    const DeviceArray<float> w(*stream_, newest);
    const DeviceArray<float> g(*stream_, gradients);
    const DeviceArray<float> v(*stream_, velocity_[layer]);
    run([&](Compute& on) {
      update(on, optimizer_, 0,
             {newest.size(), 0, w.data(), w.data(), g.data(), v.data(), nullptr});
    });
    velocity_[layer] = v.read();
    return w.read();
  }
  Parameters updated(const Parameters& newest, const Parameters& gradients) {
    Parameters next;
    for (std::size_t i = 0; i < newest.size(); ++i) {
      next.push_back(updated(newest[i], gradients[i], i));
    }
    return next;
  }

 private:
  static std::vector<float> blank(std::int32_t rows, std::int32_t columns) {
    return std::vector<float>(static_cast<std::size_t>(rows) *
                              static_cast<std::size_t>(columns));
  }
  Matrix in(const DeviceArray<float>& at, const Batch& rows, std::size_t layer) const {
    return at.matrix(rows.rows, network_[layer]->inputs());
  }
  Matrix out(const DeviceArray<float>& at, const Batch& rows, std::size_t layer) const {
    return at.matrix(rows.rows, network_[layer]->outputs());
  }
  template <typename F>
  void run(const F& work) {
    stream_->run(Work([this, &work](NativeStream native) {
      compute_.enter(native);
      work(compute_);
    }));
    stream_->synchronize();
  }

  const Network& network_;
  Optimizer optimizer_;
  std::unique_ptr<Stream> stream_;
  Compute compute_;
  Parameters start_;
  Parameters velocity_;
};

/// The micro-batches of a batch, as rows.
inline std::vector<Batch> cut(const Batch& batch, std::int32_t micro_batches) {
  std::vector<Batch> parts;
  for (std::int32_t j = 0; j < micro_batches; ++j) {
    const RowRange range = row_range(batch.rows, micro_batches, j);
    parts.push_back({batch.inputs + std::ptrdiff_t{range.begin} * SmallData::kInputs,
                     batch.labels + range.begin, range.rows()});
  }
  return parts;
}

}  // namespace pipeline

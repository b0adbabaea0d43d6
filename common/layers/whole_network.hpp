/// \file
/// A network with its skips on one device, layer by layer, all of it kept: what tests
/// hold the runtime's networks and golden values against. Test code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "layers/device_array.hpp"
#include "layers/network.hpp"

namespace pipeline {

class WholeNetwork {
 public:
  /// `parameters` of each layer.
  WholeNetwork(Stream& stream, const Network& network,
               const std::vector<std::vector<float>>& parameters)
      : stream_(stream), network_(network) {
    for (std::size_t i = 0; i < network.size(); ++i) {
      parameters_.emplace_back(stream, parameters[i]);
      gradients_.emplace_back(stream, std::vector<float>(parameters[i].size()));
    }
  }

  /// Keeps the input of every layer. Returns the logits.
  std::vector<float> forward(Compute& compute, const Pass& pass,
                             const std::vector<float>& x) {
    values_.clear();
    rows_ = static_cast<std::int32_t>(x.size()) / network_.front()->inputs();
    values_.emplace_back(stream_, x);
    for (std::size_t i = 0; i < network_.size(); ++i) {
      const Layer& layer = *network_[i];
      values_.push_back(zeros(layer.outputs()));
      in_stream(compute,
                [&] { layer.forward(compute, call(i, pass), value(i), value(i + 1)); });
      for (const Skip& skip : network_.skips) {
        if (index(skip.to) != i) continue;
        add(values_[index(skip.from)], values_[i + 1]);
      }
    }
    return values_.back().read();
  }

  /// Of the last `forward`. `gradients` adds up.
  void backward(Compute& compute, const Pass& pass, const std::vector<float>& dlogits) {
    // By the input of each layer; a skip adds to that of the layer where it began.
    std::vector<DeviceArray<float>> by_value;
    for (std::size_t i = 0; i < network_.size(); ++i) {
      by_value.push_back(zeros(network_[i]->inputs()));
    }
    by_value.emplace_back(stream_, dlogits);
    for (std::size_t i = network_.size(); i-- > 0;) {
      const Layer& layer = *network_[i];
      const Matrix dy = by_value[i + 1].matrix(rows_, layer.outputs());
      const DeviceArray<float> dx = zeros(layer.inputs());
      in_stream(compute, [&] {
        layer.input_gradient(compute, call(i, pass), value(i), dy,
                             dx.matrix(rows_, layer.inputs()));
        layer.weight_gradient(compute, call(i, pass), value(i), dy,
                              gradients_[i].data());
      });
      add(dx, by_value[i]);
      for (const Skip& skip : network_.skips) {
        if (index(skip.to) == i) add(by_value[i + 1], by_value[index(skip.from)]);
      }
    }
  }

  std::vector<float> gradients(std::size_t layer) const {
    return gradients_[layer].read();
  }

 private:
  static std::size_t index(std::int32_t layer) {
    return static_cast<std::size_t>(layer);
  }
  DeviceArray<float> zeros(std::int32_t columns) {
    return {stream_, std::vector<float>(static_cast<std::size_t>(rows_) *
                                        static_cast<std::size_t>(columns))};
  }
  Matrix value(std::size_t i) const {
    return values_[i].matrix(rows_, i < network_.size() ? network_[i]->inputs()
                                                        : network_.back()->outputs());
  }
  Call call(std::size_t i, const Pass& pass) const {
    Call made(parameters_[i].data());
    made.pass = pass;
    return made;
  }
  /// to += from, on the host.
  static void add(const DeviceArray<float>& from, DeviceArray<float>& to) {
    std::vector<float> sum = to.read();
    const std::vector<float> more = from.read();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
    to.write(sum);
  }
  template <typename F>
  void in_stream(Compute& compute, const F& work) {
    stream_.run(Work([&compute, &work](NativeStream native) {
      compute.enter(native);
      work();
    }));
    stream_.synchronize();
  }

  Stream& stream_;
  const Network& network_;
  std::vector<DeviceArray<float>> parameters_;
  std::vector<DeviceArray<float>> gradients_;
  std::vector<DeviceArray<float>> values_;  ///< x of each layer, then the logits
  std::int32_t rows_ = 0;
};

}  // namespace pipeline

// In steady state nothing is allocated: not by the layers, not by Thrust.
#include <memory>
#include <vector>

#include "device/allocation_watch.hpp"
#include "layers/attention.hpp"
#include "layers/device_array.hpp"
#include "layers/dropout.hpp"
#include "layers/embedding.hpp"
#include "layers/layer_norm.hpp"
#include "layers/on_platform.hpp"
#include "layers/optimizer.hpp"
#include "layers/reference.hpp"
#include "layers/residual_net.hpp"

namespace pipeline {
namespace {

class Allocation : public OnPlatform {
 protected:
  struct Counts {
    std::uint64_t news = 0;
    std::uint64_t device = 0;
    bool operator==(const Counts&) const = default;
  };

  /// What `work(compute)` allocates on the heap and on the device, run once in the
  /// stream.
  template <typename F>
  Counts allocations_of(Compute& compute, const F& work) {
    Counts counts;
    run(compute, [&](Compute& on) {
      const Counts before{allocations_so_far(), device().meter().allocations};
      work(on);
      counts = {allocations_so_far() - before.news,
                device().meter().allocations - before.device};
    });
    return counts;
  }
};

constexpr std::int32_t kInputs = 70;
constexpr std::int32_t kOutputs = 30;
constexpr std::size_t kMostRows = 16;

TEST_F(Allocation, OfEachLayerHappensOnTheFirstUseOfAShapeOnly) {
  ASSERT_TRUE(allocations_are_watched());
  for (const MatmulWith with : {MatmulWith::Thrust, MatmulWith::Library}) {
    Compute compute(device(), with);
    const auto product = linear(kInputs, kOutputs);
    const auto first = relu(kOutputs);
    const auto second = gelu(kOutputs);
    const DeviceArray<float> x(stream(), std::vector<float>(kMostRows * kInputs, 0.5F));
    const DeviceArray<float> dx(stream(), std::vector<float>(kMostRows * kInputs));
    const DeviceArray<float> y(stream(),
                               std::vector<float>(kMostRows * kOutputs, 0.25F));
    const DeviceArray<float> dy(stream(),
                                std::vector<float>(kMostRows * kOutputs, 0.25F));
    const DeviceArray<float> w(stream(),
                               std::vector<float>(product->parameter_count(), 0.1F));
    const DeviceArray<float> g(stream(),
                               std::vector<float>(product->parameter_count()));
    const DeviceArray<float> v(stream(),
                               std::vector<float>(product->parameter_count()));
    const DeviceArray<float> v2(stream(),
                                std::vector<float>(product->parameter_count()));
    const DeviceArray<std::int32_t> labels(stream(), std::vector<std::int32_t>(16, 3));
    const DeviceArray<double> loss(stream(), {0});
    const DeviceArray<std::int32_t> correct(stream(), {0});
    const auto step = [&](std::int32_t rows) {
      return [&, rows](Compute& on) {
        const Matrix mx = x.matrix(rows, kInputs);
        const Matrix my = y.matrix(rows, kOutputs);
        const Matrix mdy = dy.matrix(rows, kOutputs);
        product->forward(on, w.data(), mx, my);
        first->forward(on, nullptr, my, my);
        second->forward(on, nullptr, my, my);
        softmax_cross_entropy(on, my, labels.data(), loss.data(), correct.data());
        softmax_cross_entropy_gradient(on, my, labels.data(), 0.1F, mdy);
        second->input_gradient(on, nullptr, my, mdy, mdy);
        first->input_gradient(on, nullptr, my, mdy, mdy);
        product->input_gradient(on, w.data(), mx, mdy, dx.matrix(rows, kInputs));
        product->weight_gradient(on, {}, mx, mdy, g.data());
        for (const auto kind : {Optimizer::Kind::Sgd, Optimizer::Kind::AdamW}) {
          update(on, {.kind = kind}, 0,
                 {g.size(), g.size() / 2, w.data(), w.data(), g.data(), v.data(),
                  v2.data()});
        }
      };
    };
    EXPECT_GT(allocations_of(compute, step(16)).device, 0U);
    allocations_of(compute, step(13));
    for (const std::int32_t rows : {16, 13, 13, 16}) {
      const Counts counts = allocations_of(compute, step(rows));
      EXPECT_EQ(counts.news, 0U);
      EXPECT_EQ(counts.device, 0U);
    }
  }
}

TEST_F(Allocation, OfALayerOfImagesHappensOnTheFirstUseOfAShapeOnly) {
  constexpr std::size_t kMostImages = 5;
  const Network network =
      residual_net({.levels = {3, 17}, .batch_norm = BatchNormMode::Deferred});
  for (const MatmulWith with : {MatmulWith::Thrust, MatmulWith::Library}) {
    Compute compute(device(), with);
    for (const auto& layer : network) {
      const auto array = [&](std::size_t count) {
        return DeviceArray<float>(stream(), std::vector<float>(count, 0.5F));
      };
      const auto x = array(kMostImages * static_cast<std::size_t>(layer->inputs()));
      const auto dx = array(x.size());
      const auto y = array(kMostImages * static_cast<std::size_t>(layer->outputs()));
      const auto parameters = array(layer->parameter_count());
      const auto gradients = array(layer->parameter_count());
      const auto state = array(layer->state_count());
      const auto step = [&](std::int32_t rows) {
        return [&, rows](Compute& on) {
          Call call(parameters.data());
          call.state = state.data();
          const Matrix mx = x.matrix(rows, layer->inputs());
          const Matrix my = y.matrix(rows, layer->outputs());
          layer->forward(on, call, mx, my);
          layer->weight_gradient(on, call, mx, my, gradients.data());
          layer->input_gradient(on, call, mx, my, dx.matrix(rows, layer->inputs()));
          layer->end_step(on, state.data());
        };
      };
      for (const std::int32_t rows : {5, 3}) allocations_of(compute, step(rows));
      for (const std::int32_t rows : {5, 3, 3, 5}) {
        const Counts counts = allocations_of(compute, step(rows));
        EXPECT_EQ(counts.news, 0U) << layer->name();
        EXPECT_EQ(counts.device, 0U) << layer->name();
      }
    }
  }
}

/// x, dx, y, dy, parameters and gradients of a layer.
struct Operands {
  Operands(Stream& stream, const Layer& of, std::int32_t rows)
      : layer(of),
        x(stream, std::vector<float>(count(rows, of.inputs()), 1)),
        dx(stream, std::vector<float>(count(rows, of.inputs()))),
        y(stream, std::vector<float>(count(rows, of.outputs()))),
        dy(stream, std::vector<float>(count(rows, of.outputs()), 0.25F)),
        parameters(stream, std::vector<float>(of.parameter_count(), 0.1F)),
        gradients(stream, std::vector<float>(of.parameter_count())) {}

  static std::size_t count(std::int32_t rows, std::int32_t columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }
  /// A slice of three samples, forward and back.
  void step(Compute& on, float* cache, std::int32_t first, std::int32_t positions,
            std::int32_t all) const {
    Call call(parameters.data());
    call.cache = cache;
    call.pass.positions = positions;
    call.pass.first_position = first;
    call.pass.all_positions = all;
    const std::int32_t rows = 3 * positions;
    const Matrix in = x.matrix(rows, layer.inputs());
    const Matrix dout = dy.matrix(rows, layer.outputs());
    layer.forward(on, call, in, y.matrix(rows, layer.outputs()));
    layer.input_gradient(on, call, in, dout, dx.matrix(rows, layer.inputs()));
    layer.weight_gradient(on, call, in, dout, gradients.data());
  }

  const Layer& layer;
  DeviceArray<float> x, dx, y, dy, parameters, gradients;
};

TEST_F(Allocation, OfTheLayersOfATransformerHappensOnTheFirstUseOfAShapeOnly) {
  constexpr std::int32_t kPositions = 70;  // more than one block of attention
  std::vector<std::unique_ptr<Layer>> layers;
  layers.push_back(embedding(11, kPositions, 12));
  layers.push_back(layer_norm(12));
  layers.push_back(causal_attention(12, 3));
  layers.push_back(dropout(12, 0.1F, 1));
  layers.push_back(unembedding(12, 11));
  for (const MatmulWith with : {MatmulWith::Thrust, MatmulWith::Library}) {
    for (const auto& layer : layers) {
      Compute compute(device(), with);
      const Operands operands(stream(), *layer, 3 * kPositions);
      const DeviceArray<float> cache(
          stream(), std::vector<float>(layer->cache_floats(3, kPositions)));
      const auto step = [&](Compute& on) {
        operands.step(on, nullptr, 0, kPositions, kPositions);
        operands.step(on, cache.data(), 0, 30, kPositions);
        operands.step(on, cache.data(), 30, 40, kPositions);
      };
      allocations_of(compute, step);
      EXPECT_EQ(allocations_of(compute, step), Counts{}) << layer->name();
    }
  }
}

TEST_F(Allocation, OfScratchIsReusedBySize) {
  ScratchCache cache(device());
  char* const small = cache.allocate(100);
  char* const large = cache.allocate(1000);
  EXPECT_EQ(cache.held_bytes(), 1100U);
  cache.deallocate(large, 1000);
  cache.deallocate(small, 100);
  EXPECT_EQ(cache.allocate(90), small);
  EXPECT_EQ(cache.allocate(90), large);
  EXPECT_EQ(cache.held_bytes(), 1100U);
  cache.allocate(1);
  EXPECT_EQ(cache.held_bytes(), 1101U);
}

}  // namespace
}  // namespace pipeline

#include "layers/layer.hpp"

#include <vector>

#include "layers/device_array.hpp"
#include "layers/layer_check.hpp"
#include "layers/on_platform.hpp"

namespace pipeline {
namespace {

class LayerTest : public OnPlatform {};

constexpr double kRounding = 3e-6;

TEST_F(LayerTest, LinearAgreesWithItsReference) {
  struct Size {
    std::int32_t rows, inputs, outputs;
  };
  for (const MatmulWith with : {MatmulWith::Thrust, MatmulWith::Library}) {
    Compute compute(device(), with);
    for (const Size s : {Size{1, 3, 2}, {5, 7, 11}, {33, 100, 10}, {16, 65, 130}}) {
      const LayerErrors errors =
          compare_with_reference(stream(), compute, *linear(s.inputs, s.outputs),
                                 *reference_linear(s.inputs, s.outputs),
                                 draw_trial(*linear(s.inputs, s.outputs), s.rows, 11));
      EXPECT_LT(errors.forward, kRounding);
      EXPECT_LT(errors.input_gradient, kRounding);
      EXPECT_LT(errors.weight_gradient, kRounding);
    }
  }
}

TEST_F(LayerTest, ReluAgreesWithItsReference) {
  Compute compute(device());
  for (const std::int32_t width : {1, 10, 67}) {
    EXPECT_LT(compare_with_reference(stream(), compute, *relu(width), *reference_relu(),
                                     draw_trial(*relu(width), 9, 12))
                  .largest(),
              kRounding);
  }
}

TEST_F(LayerTest, GeluAgreesWithItsReference) {
  Compute compute(device());
  for (const std::int32_t width : {1, 10, 67}) {
    EXPECT_LT(compare_with_reference(stream(), compute, *gelu(width), *reference_gelu(),
                                     draw_trial(*gelu(width), 9, 13))
                  .largest(),
              kRounding);
  }
}

TEST_F(LayerTest, ReluPassesNeitherZeroNorItsGradient) {
  Compute compute(device());
  const DeviceArray<float> x(stream(), {-1.5F, 0.0F, 2.5F});
  const DeviceArray<float> dy(stream(), {3.0F, 5.0F, 7.0F});
  const DeviceArray<float> y(stream(), std::vector<float>(3, 9.0F));
  const DeviceArray<float> dx(stream(), std::vector<float>(3, 9.0F));
  run(compute, [&](Compute& on) {
    relu(3)->forward(on, nullptr, x.matrix(1, 3), y.matrix(1, 3));
    relu(3)->input_gradient(on, nullptr, x.matrix(1, 3), dy.matrix(1, 3),
                            dx.matrix(1, 3));
  });
  EXPECT_EQ(y.read(), (std::vector<float>{0, 0, 2.5F}));
  EXPECT_EQ(dx.read(), (std::vector<float>{0, 0, 7}));
}

TEST_F(LayerTest, GeluOfLargeNumbersIsTheNumberOrNothing) {
  Compute compute(device());
  const DeviceArray<float> x(stream(), {-1e6F, -50.0F, 50.0F, 1e6F});
  const DeviceArray<float> y(stream(), std::vector<float>(4, 9.0F));
  run(compute, [&](Compute& on) {
    gelu(4)->forward(on, nullptr, x.matrix(1, 4), y.matrix(1, 4));
  });
  EXPECT_EQ(y.read(), (std::vector<float>{0, 0, 50, 1e6F}));
}

TEST(Layer, SaysItsNameAndCountsItsParameters) {
  EXPECT_EQ(linear(784, 256)->name(), "linear 784 -> 256");
  EXPECT_EQ(linear(784, 256)->parameter_count(), 784U * 256U + 256U);
  EXPECT_EQ(relu(256)->name(), "relu 256");
  EXPECT_EQ(relu(256)->parameter_count(), 0U);
  EXPECT_EQ(gelu(128)->name(), "gelu 128");
  EXPECT_EQ(gelu(128)->inputs(), 128);
}

TEST(Layer, StartsLinearWithDrawnWeightsAndNoBias) {
  const std::unique_ptr<Layer> layer = linear(6, 4);
  std::vector<float> one(layer->parameter_count());
  std::vector<float> again(layer->parameter_count());
  std::vector<float> other(layer->parameter_count());
  layer->initialise(one.data(), 3);
  layer->initialise(again.data(), 3);
  layer->initialise(other.data(), 4);
  EXPECT_EQ(one, again);
  EXPECT_NE(one, other);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_NE(one[i], 0.0F);
  for (std::size_t i = 24; i < 28; ++i) EXPECT_EQ(one[i], 0.0F);
}

}  // namespace
}  // namespace pipeline

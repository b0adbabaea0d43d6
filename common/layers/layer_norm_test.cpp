#include "layers/layer_norm.hpp"

#include <cmath>
#include <vector>

#include "layers/device_array.hpp"
#include "layers/layer_check.hpp"
#include "layers/on_platform.hpp"
#include "layers/sequence_reference.hpp"

namespace pipeline {
namespace {

class LayerNormTest : public OnPlatform {};

TEST_F(LayerNormTest, AgreesWithItsReference) {
  for (const std::int32_t width : {3, 10, 67, 256}) {
    Compute compute(device());
    const auto layer = layer_norm(width);
    EXPECT_LT(
        compare_with_reference(stream(), compute, *layer, *reference_layer_norm(width),
                               draw_trial(*layer, 9, 31))
            .largest(),
        3e-6)
        << width;
  }
}

// Of numbers far from 0, the mean of the squares less the square of the mean would be
// lost in rounding.
TEST_F(LayerNormTest, TakesTheMeanOffFirst) {
  Compute compute(device());
  const auto layer = layer_norm(64);
  LayerTrial trial = draw_trial(*layer, 5, 32);
  for (double& value : trial.x.values) value = static_cast<float>(value + 1000);
  EXPECT_LT(compare_with_reference(stream(), compute, *layer, *reference_layer_norm(64),
                                   trial)
                .forward,
            1e-4);
}

TEST_F(LayerNormTest, OfEqualNumbersIsTheShift) {
  Compute compute(device());
  const DeviceArray<float> x(stream(), std::vector<float>(6, 2.5F));
  const DeviceArray<float> y(stream(), std::vector<float>(6, 9.0F));
  const DeviceArray<float> parameters(stream(), {3, 4, 5, 0.5F, -1, 2});
  run(compute, [&](Compute& on) {
    layer_norm(3)->forward(on, parameters.data(), x.matrix(2, 3), y.matrix(2, 3));
  });
  EXPECT_EQ(y.read(), (std::vector<float>{0.5F, -1, 2, 0.5F, -1, 2}));
}

TEST_F(LayerNormTest, MayWriteTheInputGradientOverTheOutputGradient) {
  Compute compute(device());
  const LayerTrial trial = draw_trial(*layer_norm(20), 3, 33);
  const DeviceArray<float> x(stream(), to_float(trial.x.values));
  const DeviceArray<float> parameters(stream(), to_float(trial.parameters));
  const DeviceArray<float> both(stream(), to_float(trial.dy.values));
  run(compute, [&](Compute& on) {
    layer_norm(20)->input_gradient(on, parameters.data(), x.matrix(3, 20),
                                   both.matrix(3, 20), both.matrix(3, 20));
  });
  EXPECT_LT(relative_error(both.read(),
                           reference_layer_norm(20)
                               ->input_gradient({}, trial.parameters, trial.x, trial.dy)
                               .values),
            3e-6);
}

TEST(LayerNorm, ReferenceHasTheGradientsThatFiniteDifferencesFind) {
  EXPECT_LT(finite_difference_error(
                *reference_layer_norm(7), {}, random_matrix(1, 14, 0.5, 1).values,
                random_matrix(4, 7, 2, 2), random_matrix(4, 7, 1, 3)),
            1e-8);
}

TEST(LayerNorm, StartsAsTheNormAloneAndDoesNotDecay) {
  std::vector<float> parameters(6, 9.0F);
  layer_norm(3)->initialise(parameters.data(), 1);
  EXPECT_EQ(parameters, (std::vector<float>{1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(layer_norm(3)->decayed_count(), 0U);
  EXPECT_EQ(layer_norm(3)->name(), "layer norm 3");
}

}  // namespace
}  // namespace pipeline

#include "layers/convolution.hpp"

#include <cmath>
#include <vector>

#include "layers/device_array.hpp"
#include "layers/image_reference.hpp"
#include "layers/layer_check.hpp"
#include "layers/on_platform.hpp"
#include "layers/pooling.hpp"

namespace pipeline {
namespace {

class ConvolutionTest : public OnPlatform {};

constexpr double kMost = 1e-5;

struct Size {
  ImageShape image;
  std::int32_t filters;
  ConvolutionOptions options;
  std::int32_t rows;
};

const std::vector<Size>& sizes() {
  static const std::vector<Size> all = {
      {{5, 6, 3}, 4, {.kernel = 3, .stride = 1, .bias = true}, 3},
      {{7, 7, 16}, 32, {.kernel = 3, .stride = 2, .bias = false}, 2},
      {{28, 28, 1}, 16, {.kernel = 3, .stride = 1, .bias = false}, 2},
      {{8, 10, 2}, 5, {.kernel = 5, .stride = 2, .bias = true}, 4},
      {{6, 8, 7}, 3, {.kernel = 1, .stride = 2, .bias = true}, 2},
      {{1, 1, 9}, 70, {.kernel = 3, .stride = 1, .bias = true}, 5},
      {{4, 3, 65}, 2, {.kernel = 3, .stride = 3, .bias = false}, 1},
  };
  return all;
}

TEST_F(ConvolutionTest, AgreesWithItsReferenceByThrustAndByTheLibrary) {
  for (const MatmulWith with : {MatmulWith::Thrust, MatmulWith::Library}) {
    Compute compute(device(), with);
    for (const Size& s : sizes()) {
      const auto layer = convolution(s.image, s.filters, s.options);
      const auto reference = reference_convolution(s.image, s.filters, s.options);
      const LayerErrors errors = compare_with_reference(
          stream(), compute, *layer, *reference, draw_trial(*layer, s.rows, 21));
      EXPECT_LT(errors.forward, kMost) << layer->name();
      EXPECT_LT(errors.input_gradient, kMost) << layer->name();
      EXPECT_LT(errors.weight_gradient, kMost) << layer->name();
    }
  }
}

TEST(ConvolutionReference, AgreesWithFiniteDifferences) {
  for (const Size& s : sizes()) {
    if (s.image.columns() > 500) continue;  // these take long, and show nothing new
    const auto layer = convolution(s.image, s.filters, s.options);
    const auto reference = reference_convolution(s.image, s.filters, s.options);
    const LayerTrial trial = draw_trial(*layer, 2, 22);
    EXPECT_LT(finite_difference_error(*reference, trial.pass, trial.parameters, trial.x,
                                      trial.dy),
              1e-8)
        << layer->name();
  }
}

// More images than one tile of patches holds: 28 x 28 x 9 x 8 floats an image.
TEST_F(ConvolutionTest, LoweredInTilesIsTheSameForEveryImage) {
  constexpr std::int32_t kRows = 5;
  const ImageShape image = {28, 28, 8};
  const auto layer = convolution(image, 4, {.bias = false});
  Compute compute(device(), MatmulWith::Thrust);
  const LayerTrial one = draw_trial(*layer, 1, 23);
  std::vector<float> images;
  for (std::int32_t i = 0; i < kRows; ++i) {
    for (const double value : one.x.values) images.push_back(static_cast<float>(value));
  }
  const DeviceArray<float> x(stream(), images);
  const DeviceArray<float> weights(stream(), to_float(one.parameters));
  const auto columns = static_cast<std::size_t>(layer->outputs());
  const DeviceArray<float> y(stream(), std::vector<float>(kRows * columns, 7.0F));
  run(compute, [&](Compute& on) {
    layer->forward(on, weights.data(), x.matrix(kRows, layer->inputs()),
                   y.matrix(kRows, layer->outputs()));
  });
  const std::vector<float> all = y.read();
  const std::vector<double> expected = reference_convolution(image, 4, {.bias = false})
                                           ->forward({}, one.parameters, one.x)
                                           .values;
  for (std::size_t i = 0; i < kRows; ++i) {
    EXPECT_LT(relative_error(std::span(all).subspan(i * columns, columns), expected),
              kMost);
  }
}

TEST(Convolution, SaysItsNameAndCountsItsParameters) {
  const auto layer = convolution({28, 28, 8}, 16, {.kernel = 5, .stride = 2});
  EXPECT_EQ(layer->name(), "convolution 28x28x8 -> 14x14x16, 5x5");
  EXPECT_EQ(layer->parameter_count(), 25U * 8U * 16U + 16U);
  EXPECT_EQ(layer->decayed_count(), 25U * 8U * 16U);
  EXPECT_EQ(convolution({28, 28, 8}, 16, {.bias = false})->parameter_count(),
            9U * 8U * 16U);
  EXPECT_EQ(convolved({7, 28, 3}, 4, 2), (ImageShape{4, 14, 4}));
}

TEST(Convolution, StartsWithDrawnFiltersAndNoBias) {
  const auto layer = convolution({4, 4, 3}, 5);
  std::vector<float> start(layer->parameter_count(), 9.0F);
  layer->initialise(start.data(), 3);
  const float bound = std::sqrt(6.0F / 27.0F);
  for (std::size_t i = 0; i < 135; ++i) {
    EXPECT_NE(start[i], 0.0F);
    EXPECT_LE(std::abs(start[i]), bound);
  }
  for (std::size_t i = 135; i < 140; ++i) EXPECT_EQ(start[i], 0.0F);
}

TEST_F(ConvolutionTest, PoolsAgreeWithTheirReferences) {
  Compute compute(device());
  struct Case {
    std::unique_ptr<Layer> layer;
    std::unique_ptr<ReferenceLayer> reference;
  };
  const ImageShape image = {4, 6, 3};
  const ImageShape wide = {7, 5, 67};
  std::vector<Case> cases;
  cases.push_back({average_pool(image, 2), reference_average_pool(image, 2, 2)});
  cases.push_back({max_pool(image, 2), reference_max_pool(image, 2)});
  cases.push_back({global_average_pool(image), reference_average_pool(image, 4, 6)});
  cases.push_back({global_average_pool(wide), reference_average_pool(wide, 7, 5)});
  for (const Case& c : cases) {
    const LayerTrial trial = draw_trial(*c.layer, 3, 24);
    EXPECT_LT(compare_with_reference(stream(), compute, *c.layer, *c.reference, trial)
                  .largest(),
              kMost)
        << c.layer->name();
    if (c.layer->inputs() > 100) continue;
    EXPECT_LT(finite_difference_error(*c.reference, trial.pass, {}, trial.x, trial.dy),
              1e-8)
        << c.layer->name();
  }
}

TEST_F(ConvolutionTest, MaxPoolGivesTheGradientToTheFirstOfEqualOnes) {
  const auto layer = max_pool({2, 2, 1}, 2);
  Compute compute(device());
  const DeviceArray<float> x(stream(), {1.5F, 4.5F, 4.5F, -3.0F});
  const DeviceArray<float> dy(stream(), {2.5F});
  const DeviceArray<float> dx(stream(), std::vector<float>(4, 9.0F));
  run(compute, [&](Compute& on) {
    layer->input_gradient(on, nullptr, x.matrix(1, 4), dy.matrix(1, 1),
                          dx.matrix(1, 4));
  });
  EXPECT_EQ(dx.read(), (std::vector<float>{0, 2.5F, 0, 0}));
}

}  // namespace
}  // namespace pipeline

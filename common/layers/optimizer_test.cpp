#include "layers/optimizer.hpp"

#include <cmath>
#include <vector>

#include "layers/device_array.hpp"
#include "layers/layer_check.hpp"
#include "layers/on_platform.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kCount = 101;
constexpr std::size_t kDecayed = 70;

std::vector<float> drawn(std::uint64_t seed) {
  return to_float(random_matrix(1, kCount, 1, seed).values);
}

/// As moments may be: of mixed signs, except what AdamW takes the root of.
std::vector<float> squares(std::uint64_t seed) {
  std::vector<float> values = drawn(seed);
  for (float& value : values) value *= value;
  return values;
}

Optimizer sgd() { return {.rate = 0.05F, .momentum = 0.9F}; }
Optimizer adam_w() {
  return {.kind = Optimizer::Kind::AdamW, .rate = 0.01F, .decay = 0.3F};
}

/// Weights, gradients and moments of kCount parameters on the device.
struct Parameters {
  explicit Parameters(Stream& stream)
      : weights(stream, drawn(1)),
        fresh(stream, std::vector<float>(kCount)),
        gradients(stream, drawn(2)),
        first(stream, drawn(3)),
        second(stream, squares(4)) {}

  /// Those from `begin` on, in place.
  LayerUpdate from(std::size_t begin = 0) const {
    return {kCount - begin,           begin < kDecayed ? kDecayed - begin : 0,
            weights.data() + begin,   weights.data() + begin,
            gradients.data() + begin, first.data() + begin,
            second.data() + begin};
  }

  DeviceArray<float> weights;
  DeviceArray<float> fresh;
  DeviceArray<float> gradients;
  DeviceArray<float> first;
  DeviceArray<float> second;
};

class Update : public OnPlatform {
 protected:
  void apply(const Optimizer& optimizer, std::int64_t step, const LayerUpdate& layer) {
    Compute compute(device());
    run(compute, [&](Compute& on) { update(on, optimizer, step, layer); });
  }
};

TEST_F(Update, OfSgdFollowsTheReferenceOverSeveralSteps) {
  Parameters of(stream());
  const std::vector<float> start = of.weights.read();
  std::vector<double> weights(start.begin(), start.end());
  const std::vector<float> moving = of.first.read();
  std::vector<double> velocity(moving.begin(), moving.end());
  const Optimizer by = sgd();
  for (std::int64_t step = 0; step < 5; ++step) {
    std::vector<float> g = drawn(10 + static_cast<std::uint64_t>(step));
    of.gradients.write(g);
    apply(by, step, of.from());
    for (std::size_t i = 0; i < kCount; ++i) {
      velocity[i] = static_cast<double>(by.momentum) * velocity[i] + g[i];
      weights[i] -= static_cast<double>(by.rate) * velocity[i];
    }
    EXPECT_EQ(of.gradients.read(), std::vector<float>(kCount, 0.0F));
  }
  EXPECT_LT(relative_error(of.weights.read(), weights), 1e-6);
  EXPECT_LT(relative_error(of.first.read(), velocity), 1e-6);
}

TEST_F(Update, OfAdamWFollowsTheReferenceOverSeveralStepsAndDecaysOnlyTheFirst) {
  Parameters of(stream());
  const std::vector<float> start = of.weights.read();
  std::vector<double> weights(start.begin(), start.end());
  std::vector<float> none(kCount);
  of.first.write(none);
  of.second.write(none);
  std::vector<double> mean(kCount);
  std::vector<double> square(kCount);
  const Optimizer by = adam_w();
  const double beta1 = by.beta1;
  const double beta2 = by.beta2;
  for (std::int64_t step = 0; step < 5; ++step) {
    std::vector<float> g = drawn(10 + static_cast<std::uint64_t>(step));
    of.gradients.write(g);
    apply(by, step, of.from());
    for (std::size_t i = 0; i < kCount; ++i) {
      mean[i] = beta1 * mean[i] + (1 - beta1) * g[i];
      square[i] = beta2 * square[i] + (1 - beta2) * static_cast<double>(g[i]) * g[i];
      const auto t = static_cast<double>(step + 1);
      const double a = mean[i] / (1 - std::pow(beta1, t));
      const double b = square[i] / (1 - std::pow(beta2, t));
      const double decay = i < kDecayed ? by.decay : 0;
      weights[i] -= static_cast<double>(by.rate) *
                    (a / (std::sqrt(b) + by.epsilon) + decay * weights[i]);
    }
    EXPECT_EQ(of.gradients.read(), std::vector<float>(kCount, 0.0F));
  }
  EXPECT_LT(relative_error(of.weights.read(), weights), 1e-6);
  EXPECT_LT(relative_error(of.first.read(), mean), 1e-6);
  EXPECT_LT(relative_error(of.second.read(), square), 1e-6);
}

// Printed by torch.optim.AdamW (2.15) in float64: lr = 0.1, betas = (0.9, 0.95),
// eps = 1e-8, weight_decay = 0.1, from 0.5, -0.25, 0.125.
TEST_F(Update, OfAdamWGivesTheWeightsThatPyTorchGives) {
  std::vector<std::vector<float>> gradients = {
      {0.25F, -0.5F, 1.0F}, {-0.5F, -1.0F, 0.0625F}, {1.0F, 0.125F, -0.75F}};
  const std::vector<std::vector<double>> expected = {
      {0.395000004, -0.147500002, 0.023750001},
      {0.427387398, -0.050226416, -0.048916349},
      {0.381884920, 0.017654773, -0.054405356}};
  const DeviceArray<float> weights(stream(), {0.5F, -0.25F, 0.125F});
  DeviceArray<float> gradient(stream(), {0, 0, 0});
  const DeviceArray<float> first(stream(), {0, 0, 0});
  const DeviceArray<float> second(stream(), {0, 0, 0});
  const Optimizer by{.kind = Optimizer::Kind::AdamW, .rate = 0.1F, .decay = 0.1F};
  for (std::size_t step = 0; step < gradients.size(); ++step) {
    gradient.write(gradients[step]);
    apply(by, static_cast<std::int64_t>(step),
          {3, 3, weights.data(), weights.data(), gradient.data(), first.data(),
           second.data()});
    EXPECT_LT(relative_error(weights.read(), expected[step]), 1e-6) << step;
  }
}

TEST_F(Update, GoesByTheRateOfItsStep) {
  for (Optimizer by : {sgd(), adam_w()}) {
    by.warmup_steps = 4;
    by.decay_steps = 10;
    by.least_rate = 0.001F;
    Optimizer constant = by;
    constant.warmup_steps = 0;
    constant.decay_steps = 0;
    for (const std::int64_t step : {0, 3, 7, 25}) {
      const Parameters scheduled(stream());
      const Parameters by_hand(stream());
      constant.rate = by.rate_at(step);
      apply(by, step, scheduled.from());
      apply(constant, step, by_hand.from());
      EXPECT_EQ(scheduled.weights.read(), by_hand.weights.read()) << step;
    }
  }
}

TEST_F(Update, KeepsTheOldWeightsWhereTheNewOnesGetAPlaceOfTheirOwn) {
  for (const Optimizer& by : {sgd(), adam_w()}) {
    const Parameters in_place(stream());
    const Parameters apart(stream());
    LayerUpdate layer = apart.from();
    layer.new_weights = apart.fresh.data();
    apply(by, 2, in_place.from());
    apply(by, 2, layer);
    EXPECT_EQ(apart.weights.read(), drawn(1));
    EXPECT_EQ(apart.fresh.read(), in_place.weights.read());
    EXPECT_NE(apart.fresh.read(), drawn(1));
    EXPECT_EQ(apart.first.read(), in_place.first.read());
    EXPECT_EQ(apart.second.read(), in_place.second.read());
    EXPECT_EQ(apart.gradients.read(), std::vector<float>(kCount, 0.0F));
  }
}

// A network cut into more stages holds the same parameters at other places and in
// shorter arrays. Not a bit of them may depend on it.
TEST_F(Update, GivesAParameterTheSameBitsWhereverItStands) {
  for (const Optimizer& by : {sgd(), adam_w()}) {
    const Parameters whole(stream());
    apply(by, 1, whole.from());
    const std::vector<float> weights = whole.weights.read();
    EXPECT_NE(weights, drawn(1));
    for (std::size_t begin = 1; begin < kCount; ++begin) {
      const Parameters part(stream());
      apply(by, 1, part.from(begin));
      const std::vector<float> partly = part.weights.read();
      for (std::size_t i = begin; i < kCount; ++i) ASSERT_EQ(partly[i], weights[i]);
      for (std::size_t i = 0; i < begin; ++i) ASSERT_EQ(partly[i], drawn(1)[i]);
    }
  }
}

TEST(RateAt, IsAlwaysTheSameWithoutASchedule) {
  const Optimizer by{.rate = 0.3F};
  for (const std::int64_t step : {0, 1, 1000}) EXPECT_EQ(by.rate_at(step), 0.3F);
}

TEST(RateAt, RisesInAStraightLineThenFallsAHalfCosineThenStays) {
  const Optimizer by{
      .rate = 0.8F, .warmup_steps = 4, .decay_steps = 12, .least_rate = 0.2F};
  const std::vector<float> expected = {0.2F, 0.4F, 0.6F, 0.8F, 0.8F};
  for (std::size_t step = 0; step < expected.size(); ++step) {
    EXPECT_FLOAT_EQ(by.rate_at(static_cast<std::int64_t>(step)), expected[step]);
  }
  EXPECT_FLOAT_EQ(by.rate_at(6), 0.2F + 0.6F * (2 + std::sqrt(2.0F)) / 4);
  EXPECT_FLOAT_EQ(by.rate_at(8), 0.5F);
  EXPECT_FLOAT_EQ(by.rate_at(10), 0.2F + 0.6F * (2 - std::sqrt(2.0F)) / 4);
  for (const std::int64_t step : {12, 13, 1'000'000}) {
    EXPECT_EQ(by.rate_at(step), 0.2F);
  }
}

TEST(RateAt, StaysAtTheTopAfterAWarmUpWithoutADecay) {
  const Optimizer by{.rate = 0.8F, .warmup_steps = 2};
  EXPECT_EQ(by.rate_at(0), 0.4F);
  EXPECT_EQ(by.rate_at(1), 0.8F);
  EXPECT_EQ(by.rate_at(100), 0.8F);
}

TEST(RateAt, FallsAtOnceWhereTheWarmUpLastsUntilTheEnd) {
  const Optimizer by{
      .rate = 0.8F, .warmup_steps = 2, .decay_steps = 2, .least_rate = 0.1F};
  EXPECT_EQ(by.rate_at(1), 0.8F);
  EXPECT_EQ(by.rate_at(2), 0.1F);
}

}  // namespace
}  // namespace pipeline

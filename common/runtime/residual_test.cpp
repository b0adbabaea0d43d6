// Residual connections, tied layers and state, whatever boundary cuts them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "layers/sums.hpp"
#include "runtime/small_training.hpp"

namespace pipeline {
namespace {

/// Counts in its state the rows that it has seen, and the steps that have ended; passes
/// its input on.
class Counter : public Layer {
 public:
  explicit Counter(std::int32_t width) : width_(width) {}
  std::string name() const override { return "counter"; }
  std::int32_t inputs() const override { return width_; }
  std::int32_t outputs() const override { return width_; }
  std::size_t parameter_count() const override { return 0; }
  void initialise(float*, std::uint64_t) const override {}
  std::size_t state_count() const override { return 3; }
  void initialise_state(float* state) const override { state[2] = 7; }
  void end_step(Compute&, float* state) const override { state[1] += 1; }
  void forward(Compute& on, const Call& call, ConstMatrix x, Matrix y) const override {
    call.state[0] += static_cast<float>(x.rows);
    copy(on, x.size(), x.data, y.data);
  }
  void input_gradient(Compute& on, const Call&, ConstMatrix, ConstMatrix dy,
                      Matrix dx) const override {
    copy(on, dy.size(), dy.data, dx.data);
  }
  void weight_gradient(Compute&, const Call&, ConstMatrix, ConstMatrix,
                       float*) const override {}

 private:
  std::int32_t width_;
};

/// Skips that follow one another, that lie in one another, that cross, one over a
/// single layer, and one over all that can be skipped.
///
///     layer   0      1    2    3    4    5    6    7    8      9
///           6>8   gelu  8>8  8>8 gelu  8>8  8>8 relu  8>8    8>4
///             skips  └─2┘    └──5───┘  └6┘
///                        └──────7────────────┘
///                    └────────8───────────────────┘
Network residual_network() {
  Network network;
  network.push_back(linear(6, 8));
  network.push_back(gelu(8));
  network.push_back(linear(8, 8));
  network.push_back(linear(8, 8));
  network.push_back(gelu(8));
  network.push_back(linear(8, 8));
  network.push_back(linear(8, 8));
  network.push_back(relu(8));
  network.push_back(linear(8, 8));
  network.push_back(linear(8, 4));
  network.skips = {{1, 2}, {3, 5}, {6, 6}, {2, 7}, {1, 8}};
  return network;
}

class Residual : public RuntimeTest {
 protected:
  static constexpr std::int32_t kLayers = 10;

  /// Trains three steps, of ragged micro-batches.
  std::vector<float> trained(const Network& network, const Schedule& schedule,
                             const LayerSplit& split, const Optimizer& optimizer = {}) {
    const auto platform = platform_of(schedule.devices());
    auto placed = PlacedNetwork::place(*platform, network, split, schedule.placement,
                                       kSmallSeed, optimizer);
    if (!placed) {
      ADD_FAILURE() << placed.error().what;
      return {};
    }
    auto executor = Executor::make(**placed, schedule, 23);
    if (!executor) {
      ADD_FAILURE() << executor.error().what;
      return {};
    }
    const SmallData data(69);
    if (const auto ran = (*executor)->run(data.batches(small_steps())); !ran) {
      ADD_FAILURE() << ran.error().what;
      return {};
    }
    for (std::int32_t d = 0; d < schedule.devices(); ++d) {
      EXPECT_EQ(platform->device(d).meter().peak_bytes,
                (*placed)->bytes_on(d) + (*executor)->planned_bytes(d) +
                    (*placed)->on(d).workspace->scratch_bytes());
    }
    EXPECT_FALSE((*executor)->result().not_finite);
    return (*placed)->weights();
  }
};

TEST_F(Residual, TrainsTheSameBitsWhereverItIsCut) {
  const Network network = residual_network();
  const std::vector<float> expected =
      trained(network, generated("gpipe", 1, 5), {0, kLayers});
  for (std::int32_t first = 1; first + 1 < kLayers; ++first) {
    for (std::int32_t second = first + 1; second < kLayers; ++second) {
      const LayerSplit split = {0, first, second, kLayers};
      ASSERT_EQ(trained(network, generated("1f1b", 3, 5), split), expected)
          << first << ", " << second;
    }
  }
}

TEST_F(Residual, TrainsTheSameBitsUnderEverySchedule) {
  const Network network = residual_network();
  for (const std::int32_t m : {1, 4, 7}) {
    const std::vector<float> expected =
        trained(network, generated("gpipe", 1, m), {0, kLayers});
    for (const char* const name :
         {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "zb-v", "v-half"}) {
      for (const std::int32_t p : {1, 2, 4}) {
        const Schedule schedule = generated(name, p, m);
        ASSERT_EQ(trained(network, schedule, *even_split(kLayers, schedule.stages())),
                  expected)
            << name << " p=" << p << " m=" << m;
      }
    }
  }
}

/// The mean loss of one batch, and its gradient by every weight: what a step of plain
/// gradient descent subtracts.
struct LossAndGradient {
  double loss = 0;
  std::vector<float> gradient;
};

LossAndGradient loss_and_gradient(const Network& network,
                                  const std::vector<float>& weights) {
  const auto platform = std::move(*make_platform(1));
  const Schedule schedule = *generate("gpipe", {.shape = {1, 3, 1, true}});
  Optimizer plain;
  plain.rate = 1;
  plain.momentum = 0;
  const auto layers = static_cast<std::int32_t>(network.size());
  const auto placed =
      *PlacedNetwork::place(*platform, network, {0, layers}, {1, {0}}, 1, plain);
  placed->set_weights(weights);
  const auto executor = *Executor::make(*placed, schedule, 23);
  const SmallData data(23);
  EXPECT_TRUE(executor->run(data.batches({23})));
  LossAndGradient result = {executor->result().step_loss[0], placed->weights()};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    result.gradient[i] = weights[i] - result.gradient[i];
  }
  return result;
}

std::vector<float> starting_weights(const Network& network) {
  const auto platform = std::move(*make_platform(1));
  const auto layers = static_cast<std::int32_t>(network.size());
  return (*PlacedNetwork::place(*platform, network, {0, layers}, {1, {0}}, kSmallSeed))
      ->weights();
}

TEST_F(Residual, HasTheGradientOfItsLoss) {
  const Network network = residual_network();
  const std::vector<float> start = starting_weights(network);
  const LossAndGradient at_start = loss_and_gradient(network, start);
  constexpr float kStep = 0.01F;
  for (std::size_t i = 0; i < start.size(); i += 5) {
    std::vector<float> up = start;
    std::vector<float> down = start;
    up[i] += kStep;
    down[i] -= kStep;
    const double slope =
        (loss_and_gradient(network, up).loss - loss_and_gradient(network, down).loss) /
        (2 * static_cast<double>(kStep));
    EXPECT_NEAR(slope, static_cast<double>(at_start.gradient[i]), 2e-3) << i;
  }
}

TEST_F(Residual, RefusesASkipThatDoesNotFit) {
  const auto refusal = [this](std::vector<Skip> skips) {
    Network network = residual_network();
    network.skips = std::move(skips);
    const auto platform = platform_of(1);
    return PlacedNetwork::place(*platform, network, {0, kLayers}, {1, {0}}, 1)
        .error()
        .what;
  };
  EXPECT_EQ(refusal({{0, 9}}), "the skip from layer 0 to layer 9 adds 6 columns to 4");
  EXPECT_EQ(refusal({{3, 2}}),
            "the skip from layer 3 to layer 2 does not lie in a network of 10 layers");
  EXPECT_EQ(refusal({{1, 3}, {2, 3}}),
            "the skip from layer 2 to layer 3 ends no later than the one before it");
}

// --- Tied layers

constexpr std::size_t kShared = 48;  // 6 x 8 weights
constexpr std::size_t kLast = 54;    // with the last layer's 6 biases

/// The first and the last layer share their weights, and skips lie between them.
Network tied_network() {
  Network network = residual_network();
  network.layers.back() = linear(8, 6);
  network.tie = {0, 9, kShared};
  return network;
}

TEST_F(Residual, KeepsTiedLayersEqualOnEverySchedule) {
  const Network network = tied_network();
  for (const char* const name : {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-v"}) {
    for (const std::int32_t p : {1, 2, 4}) {
      const Schedule schedule = generated(name, {.shape = {p, 5, 3, true}});
      const std::vector<float> expected = trained(
          network, generated("gpipe", {.shape = {1, 5, 3, true}}), {0, kLayers});
      const std::vector<float> weights =
          trained(network, schedule, *even_split(kLayers, schedule.stages()));
      ASSERT_EQ(weights, expected) << name << " p=" << p;
      const std::size_t last = weights.size() - kLast;
      for (std::size_t i = 0; i < kShared; ++i) {
        ASSERT_EQ(weights[i], weights[last + i]) << i;
      }
      EXPECT_NE(weights[0], starting_weights(network)[0]);
    }
  }
}

TEST_F(Residual, SumsTheGradientsOfTiedLayers) {
  Network network = tied_network();
  const std::vector<float> start = starting_weights(network);
  const std::vector<float> together = loss_and_gradient(network, start).gradient;
  network.tie.reset();
  const std::vector<float> apart = loss_and_gradient(network, start).gradient;
  const std::size_t last = start.size() - kLast;
  for (std::size_t i = 0; i < kShared; ++i) {
    EXPECT_NEAR(together[i], apart[i] + apart[last + i], 1e-6) << i;
    EXPECT_EQ(together[i], together[last + i]) << i;
  }
  EXPECT_EQ(together.back(), apart.back());
}

TEST_F(Residual, RefusesTiedLayersWithoutAMomentToSumThem) {
  const Network network = tied_network();
  const auto platform = platform_of(2);
  const Schedule schedule = generated("1f1b", 2, 4);
  auto placed = *PlacedNetwork::place(*platform, network, *even_split(kLayers, 2),
                                      schedule.placement, 1);
  EXPECT_EQ(Executor::make(*placed, schedule, 23).error().remedy,
            "generate the schedule with the global norm");
}

// --- State

TEST_F(Residual, StateSeesEachRowOnceAndEachStep) {
  Network network = residual_network();
  network.layers[4] = std::make_unique<Counter>(8);
  for (const std::int32_t p : {1, 3}) {
    const auto platform = platform_of(p);
    const Schedule schedule = generated("1f1b", p, 4);
    auto placed = *PlacedNetwork::place(*platform, network, *even_split(kLayers, p),
                                        schedule.placement, 1);
    auto executor = *Executor::make(*placed, schedule, 23);
    const SmallData data(69);
    ASSERT_TRUE(executor->run(data.batches(small_steps())));
    EXPECT_EQ(placed->state(), (std::vector<float>{23 + 17 + 20, 3, 7}));
    placed->set_state(std::vector<float>{1, 2, 3});
    EXPECT_EQ(placed->state(), (std::vector<float>{1, 2, 3}));
  }
}

// --- What is no number any more

TEST_F(Residual, NamesTheFirstLayerWhoseOutputIsNotFinite) {
  const Network network = residual_network();
  const std::vector<float> start = starting_weights(network);
  // Weights of layer 5 (the fourth with any): 6x8+8, 8x8+8, 8x8+8 come before.
  const std::size_t spoilt = 56 + 72 + 72 + 3;
  for (const float bad : {std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()}) {
    for (const std::int32_t p : {1, 2, 4}) {
      const auto platform = platform_of(p);
      const Schedule schedule = generated("1f1b", p, 4);
      auto placed = *PlacedNetwork::place(*platform, network, *even_split(kLayers, p),
                                          schedule.placement, 1);
      std::vector<float> weights = start;
      weights[spoilt] = bad;
      placed->set_weights(weights);
      auto executor = *Executor::make(*placed, schedule, 23);
      const SmallData data(69);
      ASSERT_TRUE(executor->run(data.batches(small_steps())));
      ASSERT_TRUE(executor->result().not_finite);
      EXPECT_EQ(executor->result().not_finite->layer, 5);
      EXPECT_EQ(executor->result().not_finite->step, 0);
      placed->set_weights(start);
      placed->set_moments(std::vector<float>(start.size(), 0.0F));
      ASSERT_TRUE(executor->run(data.batches(small_steps())));
      EXPECT_FALSE(executor->result().not_finite);
    }
  }
}

}  // namespace
}  // namespace pipeline

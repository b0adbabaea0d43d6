#include "runtime/generation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include "runtime/small_text.hpp"
#include "runtime/small_training.hpp"

namespace pipeline {
namespace {

TEST(DrawToken, TakesTheFirstOfTheLikeliestAtTemperatureZero) {
  Random random(1);
  EXPECT_EQ(draw_token(std::array{1.0F, 3.0F, -2.0F, 3.0F}, 0, random), 1);
}

TEST(DrawToken, FollowsTheSharesThatTheTemperatureMakes) {
  constexpr std::int32_t kDraws = 20'000;
  const std::array logits = {0.0F, std::log(2.0F), std::log(5.0F)};
  for (const double temperature : {0.5, 1.0, 2.0}) {
    Random random(2);
    std::array<double, 3> seen{};
    for (std::int32_t i = 0; i < kDraws; ++i) {
      seen[static_cast<std::size_t>(draw_token(logits, temperature, random))] += 1;
    }
    const double sum = 1 + std::pow(2, 1 / temperature) + std::pow(5, 1 / temperature);
    EXPECT_NEAR(seen[0] / kDraws, 1 / sum, 0.01);
    EXPECT_NEAR(seen[1] / kDraws, std::pow(2, 1 / temperature) / sum, 0.01);
    EXPECT_NEAR(seen[2] / kDraws, std::pow(5, 1 / temperature) / sum, 0.01);
  }
}

TEST(DrawToken, StandsLogitsAsLargeAsTheyCome) {
  Random random(3);
  const std::array logits = {-3e38F, 3e38F, 0.0F};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(draw_token(logits, 0.01, random), 1);
}

class Generation : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    folder_ = testing::TempDir() + "/generation_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    RuntimeTest::TearDown();
  }

  Expected<std::string> written(const GenerationOptions& options) {
    return generate_text(*platform_of(1), shape_, folder_, options);
  }
  /// On so many devices, from untrained weights.
  std::string untrained(std::int32_t devices, const GenerationOptions& options) {
    const auto network = transformer(shape_);
    TrainingSetup setup;
    setup.devices = devices;
    const auto platform = platform_of(devices);
    const auto loop = TrainingLoop::make(*platform, *network, setup, 4);
    EXPECT_TRUE(loop) << loop.error().what;
    const auto text = generate_text((*loop)->network(), shape_.context, options);
    EXPECT_TRUE(text) << text.error().what;
    return text ? *text : "";
  }

  TransformerShape shape_ = small_shape();
  std::string folder_;
};

TEST_F(Generation, GoesOnWithThePatternThatTheNetworkHasLearnt) {
  Corpus corpus{"pattern", {}};
  while (corpus.text.size() < 1200) corpus.text += "abcad ";
  TextTrainingOptions options = small_options();
  options.steps = 150;
  options.log_every = 150;
  options.optimizer.decay_steps = 150;
  options.checkpoints = folder_;
  const auto trained = train_text(*platform_of(2), shape_, corpus, options);
  ASSERT_TRUE(trained) << trained.error().what;
  for (const double temperature : {0.0, 0.5}) {
    // Longer than the context, and shorter.
    const auto text =
        written({.prompt = "abcad abcad ab", .bytes = 20, .temperature = temperature});
    ASSERT_TRUE(text) << text.error().what;
    EXPECT_EQ(*text, "cad abcad abcad abca");
  }
  const auto from_three = written({.prompt = " ab", .bytes = 9, .temperature = 0});
  ASSERT_TRUE(from_three);
  EXPECT_EQ(*from_three, "cad abcad");
}

TEST_F(Generation, IsTheSameOnAnyNumberOfDevicesAndFollowsFromTheSeed) {
  const GenerationOptions options{.prompt = "He said", .bytes = 30, .seed = 8};
  const std::string one = untrained(1, options);
  EXPECT_EQ(one.size(), 30U);
  EXPECT_EQ(untrained(2, options), one);
  EXPECT_EQ(untrained(5, options), one);
  GenerationOptions other = options;
  other.seed = 9;
  EXPECT_NE(untrained(1, other), one);
}

TEST_F(Generation, HandsOutEachByteAndCanBeStopped) {
  std::atomic<bool> stop = false;
  std::string heard;
  const std::string text =
      untrained(2, {.bytes = 30, .stop = &stop, .on_byte = [&](char byte) {
                      heard.push_back(byte);
                      stop = heard.size() == 4;
                    }});
  EXPECT_EQ(text.size(), 4U);
  EXPECT_EQ(heard, text);
}

TEST_F(Generation, RefusesWhatCannotBeWritten) {
  const auto refused = [&](const GenerationOptions& options) {
    const auto network = transformer(shape_);
    const auto platform = platform_of(1);
    const auto layers = static_cast<std::int32_t>(network->size());
    auto placed = PlacedNetwork::place(*platform, *network, {0, layers}, {1, {0}}, 1);
    return generate_text(**placed, shape_.context, options).error().what;
  };
  EXPECT_EQ(refused({.prompt = ""}), "the prompt is empty");
  EXPECT_EQ(refused({.bytes = 0}), "a text of 0 bytes is none");
  EXPECT_EQ(refused({.temperature = -1}), "a temperature of -1.000000 cannot be used");
  EXPECT_FALSE(
      refused({.temperature = std::numeric_limits<double>::quiet_NaN()}).empty());
}

TEST_F(Generation, NeedsACheckpointOfTheSameNetwork) {
  const auto none = written({});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::Absent);
  TextTrainingOptions options = small_options();
  options.steps = 1;
  options.checkpoints = folder_;
  ASSERT_TRUE(train_text(*platform_of(2), shape_, small_corpus(), options));
  EXPECT_TRUE(written({}));
  shape_.blocks = 3;
  const auto other = written({});
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().what.find("is of another network"), std::string::npos);
}

}  // namespace
}  // namespace pipeline

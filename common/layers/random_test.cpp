#include "layers/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "layers/initialise.hpp"

namespace pipeline {
namespace {

TEST(Random, DrawsThePublishedSequenceOfSplitMix64) {
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
}

TEST(Random, DrawsEveryNumberBelowABoundAboutEquallyOften) {
  Random random(5);
  std::array<int, 7> seen{};
  for (int i = 0; i < 70000; ++i) ++seen.at(random.below(7));
  for (const int count : seen) EXPECT_NEAR(count, 10000, 400);
}

TEST(Initialise, StaysWithinHesBoundAndFillsIt) {
  std::vector<float> weights(4000);
  he_uniform(weights.data(), weights.size(), 24, 9);  // sqrt(6 / 24) = 0.5
  float least = 0;
  float most = 0;
  for (const float w : weights) {
    least = std::min(least, w);
    most = std::max(most, w);
  }
  EXPECT_GE(least, -0.5F);
  EXPECT_LE(most, 0.5F);
  EXPECT_LT(least, -0.49F);
  EXPECT_GT(most, 0.49F);
}

TEST(Initialise, GivesTheSameBitsOnEveryPlatform) {
  std::array<float, 3> weights{};
  he_uniform(weights.data(), weights.size(), 784, 1);
  // By hand: ((next >> 11) * 2^-52 - 1) * sqrt(6 / 784), in double, then rounded.
  Random random(1);
  for (const float w : weights) {
    const double u = static_cast<double>(random.next() >> 11) * 0x1p-53;
    EXPECT_EQ(w, static_cast<float>((2 * u - 1) * 0.087481776527846));
  }
}

}  // namespace
}  // namespace pipeline

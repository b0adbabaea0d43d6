#include "layers/residual_net.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pipeline {
namespace {

TEST(ResidualNet, HasASkipAroundEachBlockAndLayersThatFit) {
  const Network network =
      residual_net({.image = {9, 7, 2}, .levels = {4, 8}, .blocks = 2, .classes = 5});
  // A level: convolution, batch norm, ReLU and two blocks of six layers.
  ASSERT_EQ(network.size(), 2U * (3 + 2 * 6) + 2);
  EXPECT_EQ(network.skips, (std::vector<Skip>{{3, 7}, {9, 13}, {18, 22}, {24, 28}}));
  EXPECT_EQ(network.front()->inputs(), 9 * 7 * 2);
  EXPECT_EQ(network.back()->outputs(), 5);
  for (std::size_t i = 1; i < network.size(); ++i) {
    EXPECT_EQ(network[i]->inputs(), network[i - 1]->outputs()) << network[i]->name();
  }
  for (const Skip& skip : network.skips) {
    EXPECT_EQ(network[static_cast<std::size_t>(skip.from)]->inputs(),
              network[static_cast<std::size_t>(skip.to)]->outputs());
  }
  EXPECT_EQ(network[0]->name(), "convolution 9x7x2 -> 5x4x4, 3x3");
  EXPECT_EQ(network[15]->name(), "convolution 5x4x4 -> 3x2x8, 3x3");
  EXPECT_EQ(network[30]->name(), "average pool 3x2x8, 3x2");
}

TEST(ResidualNet, KeepsStatisticsInTheWayItWasAskedFor) {
  const auto floats = [](BatchNormMode mode) {
    const Network network = residual_net({.levels = {4}, .batch_norm = mode});
    std::size_t sum = 0;
    for (const auto& layer : network) sum += layer->state_count();
    return sum;
  };
  EXPECT_EQ(floats(BatchNormMode::PerMicroBatch), 3U * 4U * 2U);
  EXPECT_EQ(floats(BatchNormMode::Deferred), 3U * 4U * 5U);
}

}  // namespace
}  // namespace pipeline

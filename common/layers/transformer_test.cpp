#include "layers/transformer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace pipeline {
namespace {

TransformerShape small() {
  TransformerShape shape;
  shape.vocabulary = 11;
  shape.width = 12;
  shape.heads = 3;
  shape.blocks = 2;
  shape.context = 5;
  return shape;
}

std::vector<std::string> names_of(const Network& network) {
  std::vector<std::string> names;
  for (const auto& layer : network) names.push_back(layer->name());
  return names;
}

TEST(Transformer, IsANormAheadOfEachPartAndASkipAroundIt) {
  TransformerShape shape = small();
  shape.blocks = 1;
  const Expected<Network> network = transformer(shape);
  ASSERT_TRUE(network);
  EXPECT_EQ(names_of(*network),
            (std::vector<std::string>{"embedding 11 -> 12", "layer norm 12",
                                      "linear 12 -> 36", "causal attention 12, 3 heads",
                                      "linear 12 -> 12", "layer norm 12",
                                      "linear 12 -> 48", "gelu 48", "linear 48 -> 12",
                                      "layer norm 12", "unembedding 12 -> 11"}));
  EXPECT_EQ(network->skips, (std::vector<Skip>{{1, 4}, {5, 8}}));
  ASSERT_TRUE(network->tie);
  EXPECT_EQ(network->tie->first, 0);
  EXPECT_EQ(network->tie->second, 10);
  EXPECT_EQ(network->tie->count, 11U * 12U);
}

TEST(Transformer, EndsEachPartWithADropoutOfItsOwn) {
  TransformerShape shape = small();
  shape.dropout = 0.1F;
  shape.tied = false;
  const Expected<Network> network = transformer(shape);
  ASSERT_TRUE(network);
  EXPECT_FALSE(network->tie);
  EXPECT_EQ(network->skips, (std::vector<Skip>{{1, 5}, {6, 10}, {11, 15}, {16, 20}}));
  for (const Skip& skip : network->skips) {
    EXPECT_EQ((*network)[static_cast<std::size_t>(skip.to)]->name(), "dropout 12");
  }
}

TEST(Transformer, FitsEachLayerToTheNextAndEachSkipToItsEnds) {
  const Expected<Network> network = transformer(small());
  ASSERT_TRUE(network);
  for (std::size_t i = 1; i < network->size(); ++i) {
    EXPECT_EQ((*network)[i]->inputs(), (*network)[i - 1]->outputs()) << i;
  }
  for (const Skip& skip : network->skips) {
    EXPECT_EQ((*network)[static_cast<std::size_t>(skip.from)]->inputs(),
              (*network)[static_cast<std::size_t>(skip.to)]->outputs());
  }
}

double deviation_of_weights(const Layer& layer, std::uint64_t seed) {
  std::vector<float> parameters(layer.parameter_count());
  layer.initialise(parameters.data(), seed);
  double sum = 0;
  for (std::size_t i = 0; i < layer.decayed_count(); ++i) {
    sum += static_cast<double>(parameters[i]) * static_cast<double>(parameters[i]);
  }
  for (std::size_t i = layer.decayed_count(); i < parameters.size(); ++i) {
    EXPECT_EQ(parameters[i], 0.0F);  // biases
  }
  return std::sqrt(sum / static_cast<double>(layer.decayed_count()));
}

TEST(Transformer, StartsWithSmallerWeightsWhereASkipEnds) {
  TransformerShape shape = small();
  shape.width = 48;
  shape.blocks = 8;
  const Expected<Network> network = transformer(shape);
  ASSERT_TRUE(network);
  EXPECT_NEAR(deviation_of_weights(*(*network)[0], 1), 0.02, 0.001);
  EXPECT_NEAR(deviation_of_weights(*(*network)[2], 2), 0.02, 0.001);
  EXPECT_NEAR(deviation_of_weights(*(*network)[4], 3), 0.005, 0.0003);
  EXPECT_NEAR(deviation_of_weights(*(*network)[8], 4), 0.005, 0.0003);
  EXPECT_NEAR(deviation_of_weights(*network->back(), 5), 0.02, 0.001);
}

TEST(Transformer, RefusesSizesThatDoNotGoTogether) {
  const auto refusal = [](void (*change)(TransformerShape&)) {
    TransformerShape shape = small();
    change(shape);
    const Expected<Network> network = transformer(shape);
    return network ? std::string("accepted") : network.error().what;
  };
  EXPECT_EQ(refusal([](TransformerShape& s) { s.heads = 5; }),
            "a width of 12 does not divide into 5 heads");
  EXPECT_EQ(refusal([](TransformerShape& s) { s.width = 0; }),
            "a transformer needs a width of at least 1, not 0");
  EXPECT_EQ(refusal([](TransformerShape& s) { s.heads = 0; }),
            "a transformer needs a number of heads of at least 1, not 0");
  EXPECT_EQ(refusal([](TransformerShape& s) { s.blocks = -2; }),
            "a transformer needs a number of blocks of at least 1, not -2");
  EXPECT_EQ(refusal([](TransformerShape& s) { s.context = 0; }),
            "a transformer needs a context of at least 1, not 0");
  EXPECT_EQ(refusal([](TransformerShape& s) { s.vocabulary = 0; }),
            "a transformer needs a vocabulary of at least 1, not 0");
  EXPECT_EQ(refusal([](TransformerShape& s) { s.dropout = 1; }),
            "a dropout rate of 1.000000 would leave nothing");
  EXPECT_EQ(refusal([](TransformerShape& s) { s.dropout = std::nanf(""); }),
            "a dropout rate of nan would leave nothing");
  EXPECT_EQ(refusal([](TransformerShape& s) { s.hidden = -1; }),
            "a transformer needs a hidden width of at least 1, not -1");
}

// The model of PyTorch's pipeline tutorial ("Training Transformer models using
// Distributed Data Parallel and Pipeline Parallelism"), which it counts as 1.4 billion
// parameters. It has no table of positions and no norm at its end, and a bias more.
TEST(Transformer, OfTheTutorialHasAboutOnePointFourBillionParameters) {
  TransformerShape shape;
  shape.vocabulary = 28783;
  shape.width = 4096;
  shape.heads = 16;
  shape.blocks = 12;
  shape.context = 35;
  shape.hidden = 4096;
  shape.tied = false;
  const Expected<Network> network = transformer(shape);
  ASSERT_TRUE(network);
  std::size_t count = 0;
  for (const auto& layer : *network) count += layer->parameter_count();
  const std::size_t w = 4096;
  const std::size_t attention = 4 * w * w + 4 * w;
  const std::size_t mlp = 2 * w * w + 2 * w;
  const std::size_t norms = 4 * w;
  const std::size_t ours = 35 * w + 2 * w;  // positions, and the last norm
  EXPECT_EQ(count, std::size_t{2} * 28783 * w + 12 * (attention + mlp + norms) + ours);
  EXPECT_NEAR(static_cast<double>(count), 1.4e9, 0.05e9);
}

}  // namespace
}  // namespace pipeline

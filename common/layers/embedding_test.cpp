#include "layers/embedding.hpp"

#include <vector>

#include "layers/device_array.hpp"
#include "layers/layer_check.hpp"
#include "layers/on_platform.hpp"
#include "layers/random.hpp"
#include "layers/sequence_reference.hpp"

namespace pipeline {
namespace {

constexpr std::int32_t kVocabulary = 11;
constexpr std::int32_t kPlaces = 9;

/// Some tokens come often, in one sample and in several.
DoubleMatrix tokens(std::int32_t rows) {
  DoubleMatrix x(rows, 1);
  Random random(5);
  for (double& id : x.values) id = static_cast<double>(random.below(kVocabulary));
  return x;
}

Pass in_sequences_of(std::int32_t positions) {
  Pass pass;
  pass.positions = positions;
  pass.all_positions = positions;
  return pass;
}

class EmbeddingTest : public OnPlatform {};

TEST_F(EmbeddingTest, AgreesWithItsReference) {
  for (const std::int32_t width : {1, 12, 70}) {
    for (const std::int32_t positions : {1, 4, 9}) {
      Compute compute(device());
      const auto layer = embedding(kVocabulary, kPlaces, width);
      LayerTrial trial =
          draw_trial(*layer, 5 * positions, 21, in_sequences_of(positions));
      trial.x = tokens(5 * positions);
      const LayerErrors errors = compare_with_reference(
          stream(), compute, *layer, *reference_embedding(kVocabulary, kPlaces, width),
          trial);
      EXPECT_LT(errors.largest(), 1e-6) << width << " wide, " << positions;
    }
  }
}

TEST_F(EmbeddingTest, OfASliceTakesThePlacesOfItsPositions) {
  Compute compute(device());
  const auto layer = embedding(kVocabulary, kPlaces, 6);
  Pass pass = in_sequences_of(3);
  pass.first_position = 4;
  pass.all_positions = 9;
  LayerTrial trial = draw_trial(*layer, 6, 22, pass);
  trial.x = tokens(6);
  EXPECT_LT(compare_with_reference(stream(), compute, *layer,
                                   *reference_embedding(kVocabulary, kPlaces, 6), trial)
                .largest(),
            1e-6);
}

TEST_F(EmbeddingTest, BackwardToLogitsAgreesWithItsReference) {
  for (const MatmulWith with : {MatmulWith::Thrust, MatmulWith::Library}) {
    Compute compute(device(), with);
    const auto layer = unembedding(20, kVocabulary);
    EXPECT_LT(compare_with_reference(stream(), compute, *layer,
                                     *reference_unembedding(20, kVocabulary),
                                     draw_trial(*layer, 13, 23))
                  .largest(),
              1e-6);
  }
}

TEST(Embedding, ReferencesHaveTheGradientsThatFiniteDifferencesFind) {
  const auto down = reference_unembedding(7, kVocabulary);
  EXPECT_LT(finite_difference_error(*down, {}, random_matrix(1, 77, 0.5, 1).values,
                                    random_matrix(4, 7, 2, 2),
                                    random_matrix(4, kVocabulary, 1, 3)),
            1e-8);
  const auto up = reference_embedding(kVocabulary, kPlaces, 3);
  EXPECT_LT(finite_difference_error(*up, in_sequences_of(4),
                                    random_matrix(1, 60, 0.5, 1).values, tokens(8),
                                    random_matrix(8, 3, 1, 3)),
            1e-8);
}

TEST(Embedding, StartsSoThatItCanBeTied) {
  const auto up = embedding(kVocabulary, kPlaces, 4);
  const auto down = unembedding(4, kVocabulary);
  EXPECT_EQ(up->name(), "embedding 11 -> 4");
  EXPECT_EQ(down->name(), "unembedding 4 -> 11");
  EXPECT_EQ(up->inputs(), 1);
  EXPECT_EQ(up->parameter_count(), 44U + 36U);
  EXPECT_EQ(down->parameter_count(), 44U);
  EXPECT_EQ(up->decayed_count(), 80U);
  EXPECT_EQ(down->decayed_count(), 44U);
  std::vector<float> first(80);
  up->initialise(first.data(), 3);
  for (const float weight : first) EXPECT_NE(weight, 0.0F);
}

}  // namespace
}  // namespace pipeline

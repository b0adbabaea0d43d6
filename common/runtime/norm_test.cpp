// The norm of all gradients, and what is clipped by it.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/reference_training.hpp"
#include "runtime/small_training.hpp"

namespace pipeline {
namespace {

class NormTest : public RuntimeTest {
 protected:
  Trained trained(std::string_view name, std::int32_t devices, float clip,
                  std::int32_t micro_batches = 8, bool norm = true) {
    ExecutorOptions options;
    options.clip = clip;
    const Schedule schedule =
        generated(name, {.shape = {devices, micro_batches, 3, norm}});
    return train_small(*platform_of(devices), schedule, options);
  }
};

TEST_F(NormTest, HasTheSameBitsOnEverySchedule) {
  for (const float clip : {0.0F, 0.3F}) {
    const Trained expected = trained("gpipe", 1, clip);
    ASSERT_EQ(expected.result.step_norm.size(), 3U);
    for (const auto* name :
         {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "v-half", "dualpipe-v"}) {
      for (const std::int32_t p : {1, 2, 3, 4}) {
        const bool folded = *name == 'v' || *name == 'd' || *name == 'i';
        if (folded && p > 3) continue;  // more than nine stages
        if (*name == 'd' && p == 1) continue;
        const Trained other = trained(name, p, clip);
        EXPECT_EQ(other.result.step_norm, expected.result.step_norm)
            << name << " p=" << p;
        EXPECT_EQ(other.digest, expected.digest) << name << " p=" << p;
      }
    }
  }
}

TEST_F(NormTest, OfTwoCopiesIsThatOfTheirSum) {
  const Trained expected = trained("1f1b", 2, 0.3F);
  const Trained two_way = trained("dualpipe", 2, 0.3F);
  ASSERT_EQ(two_way.result.step_norm.size(), 3U);
  for (std::size_t step = 0; step < 3; ++step) {
    EXPECT_NEAR(two_way.result.step_norm[step], expected.result.step_norm[step], 1e-6);
  }
  EXPECT_TRUE(two_way.copies_agree);
}

TEST_F(NormTest, IsTheRootOfAllSquares) {
  const auto platform = platform_of(1);
  const Network network = small_network();
  ReferenceTraining reference(*platform, network);
  Parameters gradients = reference.zeros();
  const SmallData data(69);
  const Batch first = data.batches(small_steps()).front();
  for (const Batch& rows : cut(first, 8)) {
    reference.add_gradients(reference.start(), rows, 1.0F / 23, gradients);
  }
  double squares = 0;
  for (const float g : in_one(gradients)) {
    squares += static_cast<double>(g) * static_cast<double>(g);
  }
  const double norm = std::sqrt(squares);
  EXPECT_NEAR(trained("1f1b", 3, 0).result.step_norm[0], norm, 1e-9 * norm);
}

TEST_F(NormTest, ScalesWhatIsLargerDownToTheLimit) {
  const std::vector<double> norms = trained("1f1b", 2, 0).result.step_norm;
  const auto limit = static_cast<float>(norms[0] / 2);
  // One step by the reference, with gradients scaled by hand.
  const auto platform = platform_of(1);
  const Network network = small_network();
  ReferenceTraining reference(*platform, network);
  Parameters gradients = reference.zeros();
  const SmallData data(69);
  for (const Batch& rows : cut(data.batch(0, 23), 8)) {
    reference.add_gradients(reference.start(), rows, 1.0F / 23, gradients);
  }
  for (auto& layer : gradients) {
    for (float& g : layer)
      g *= static_cast<float>(static_cast<double>(limit) / norms[0]);
  }
  const std::vector<float> expected =
      in_one(reference.updated(reference.start(), gradients));
  ExecutorOptions options;
  options.clip = limit;
  const Trained clipped = train_small(
      *platform_of(2), generated("1f1b", {.shape = {2, 8, 1, true}}), options, {23});
  ASSERT_EQ(clipped.weights.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(clipped.weights[i], expected[i], 1e-6);
  }
  EXPECT_EQ(clipped.result.step_norm[0], norms[0]);
}

TEST_F(NormTest, LeavesWhatIsSmallerAsItIs) {
  const Trained free = trained("1f1b", 2, 0);
  EXPECT_EQ(trained("1f1b", 2, 1000).digest, free.digest);
  EXPECT_NE(trained("1f1b", 2, 0.1F).digest, free.digest);
  EXPECT_EQ(trained("1f1b", 2, 0, 8, /*norm=*/false).digest, free.digest);
  EXPECT_TRUE(trained("1f1b", 2, 0, 8, /*norm=*/false).result.step_norm.empty());
}

TEST_F(NormTest, CannotClipWhatTakesNoNorm) {
  const auto platform = platform_of(2);
  const Network network = small_network();
  auto placed = *PlacedNetwork::place(*platform, network, *even_split(9, 2),
                                      one_stage_per_device(2), 1);
  ExecutorOptions options;
  options.clip = 1;
  const auto refused = Executor::make(*placed, generated("1f1b", 2, 4), 23, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "gradients cannot be clipped by a norm that not all devices take");
  options.clip = -1;
  const auto negative = Executor::make(*placed, generated("1f1b", 2, 4), 23, options);
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().what, "gradients cannot be clipped to a negative norm");
}

}  // namespace
}  // namespace pipeline

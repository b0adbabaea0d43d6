#include "runtime/network.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/digest.hpp"
#include "runtime/small_training.hpp"

namespace pipeline {
namespace {

TEST(Digest, IsThatOfFnv1a) {
  // The bytes of 2.0f are 00 00 00 40: computed by hand from the definition.
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const std::uint64_t byte : {0x00U, 0x00U, 0x00U, 0x40U}) {
    hash = (hash ^ byte) * 0x100000001B3U;
  }
  const std::vector<float> values = {2.0F};
  EXPECT_EQ(std::stoull(digest_of(values), nullptr, 16), hash);
  EXPECT_EQ(digest_of(std::span<const float>{}), "cbf29ce484222325");
}

TEST(Digest, TellsTheLastBitTheSignOfZeroAndTheOrder) {
  const std::vector<float> some = {0.0F, 1.0F, 2.0F};
  const std::vector<float> bit = {0.0F, 1.0F, std::nextafter(2.0F, 3.0F)};
  const std::vector<float> sign = {-0.0F, 1.0F, 2.0F};
  const std::vector<float> order = {0.0F, 2.0F, 1.0F};
  EXPECT_NE(digest_of(some), digest_of(bit));
  EXPECT_NE(digest_of(some), digest_of(sign));
  EXPECT_NE(digest_of(some), digest_of(order));
}

class PlacedNetworkTest : public RuntimeTest {
 protected:
  Expected<std::unique_ptr<PlacedNetwork>> place(Platform& platform,
                                                 const LayerSplit& split,
                                                 std::uint64_t seed = 5) {
    return PlacedNetwork::place(
        platform, network_, split,
        one_stage_per_device(static_cast<std::int32_t>(split.size()) - 1), seed);
  }
  Network network_ = small_network();
};

TEST_F(PlacedNetworkTest, StartsTheSameHoweverItIsCut) {
  const auto platform = platform_of(4);
  const auto whole = place(*platform, {0, 9});
  const auto cut = place(*platform, {0, 1, 4, 7, 9});
  const auto other_seed = place(*platform, {0, 9}, 6);
  ASSERT_TRUE(whole && cut && other_seed);
  EXPECT_EQ((*whole)->weights(), (*cut)->weights());
  EXPECT_NE((*whole)->digest(), (*other_seed)->digest());
}

TEST_F(PlacedNetworkTest, HoldsAsManyBytesAsItSays) {
  const auto platform = platform_of(2);
  const auto placed = place(*platform, {0, 3, 9});
  ASSERT_TRUE(placed);
  EXPECT_GT((*placed)->bytes_on(0), 0U);
  EXPECT_EQ(platform->device(0).meter().live_bytes, (*placed)->bytes_on(0));
  EXPECT_EQ(platform->device(1).meter().live_bytes, (*placed)->bytes_on(1));
}

TEST_F(PlacedNetworkTest, TakesAStageWithoutParameters) {
  const auto platform = platform_of(3);
  const auto placed = place(*platform, {0, 1, 2, 9});
  ASSERT_TRUE(placed);
  EXPECT_EQ((*placed)->bytes_on(1), 0U);
}

TEST_F(PlacedNetworkTest, RefusesWhatDoesNotFit) {
  const auto platform = platform_of(2);
  EXPECT_EQ(place(*platform, {0, 3, 8}).error().what,
            "the split does not cut 9 layers into 2 stages");
  EXPECT_EQ(place(*platform, {0, 0, 9}).error().what, "stage 0 has no layer");
  EXPECT_EQ(place(*platform, {0, 3, 6, 9}).error().what,
            "the schedule needs 3 devices, the platform has 2");
  network_.push_back(relu(5));
  EXPECT_EQ(place(*platform, {0, 3, 10}).error().what,
            "layer 8 (linear 5 -> 4) does not fit layer 9 (relu 5)");
}

}  // namespace
}  // namespace pipeline

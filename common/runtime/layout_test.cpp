// Where a network is cut must not change what it learns: no layer dropped, whatever the
// layout, not with a stage that has no parameters, nor with a single layer a stage.
#include <gtest/gtest.h>

#include <vector>

#include "planning/balance.hpp"
#include "runtime/small_training.hpp"

namespace pipeline {
namespace {

/// All 256 layouts of nine layers, by the cuts between neighbours that are made: bit i
/// is the cut in front of layer i + 1.
std::vector<std::vector<std::int32_t>> layouts() {
  std::vector<std::vector<std::int32_t>> all;
  for (std::uint32_t cuts = 0; cuts < 256; ++cuts) {
    std::vector<std::int32_t>& counts = all.emplace_back(1, 1);
    for (std::uint32_t i = 0; i < 8; ++i) {
      if ((cuts >> i) % 2 == 1) {
        counts.push_back(1);
      } else {
        ++counts.back();
      }
    }
  }
  return all;
}

class LayoutTest : public RuntimeTest {
 protected:
  std::string trained_on(const LayerSplit& split) {
    const auto stages = static_cast<std::int32_t>(split.size()) - 1;
    const auto platform = platform_of(stages);
    if (platform == nullptr) return "no platform";
    const Schedule schedule = generated("1f1b", stages, 3, 2);
    auto placed =
        PlacedNetwork::place(*platform, network_, split, schedule.placement, 3);
    if (!placed) return placed.error().what;
    auto executor = Executor::make(**placed, schedule, 23);
    if (!executor) return executor.error().what;
    const SmallData data(40);
    if (const auto ran = (*executor)->run(data.batches({23, 17})); !ran) {
      return ran.error().what;
    }
    return (*placed)->digest();
  }
  Network network_ = small_network();
};

TEST_F(LayoutTest, TrainsTheSameWeightsWhereverTheNetworkIsCut) {
  const std::string whole = trained_on({0, 9});
  for (const auto& counts : layouts()) {
    const auto split = explicit_split(9, counts);
    ASSERT_TRUE(split) << split.error().what;
    EXPECT_EQ(trained_on(*split), whole) << layout_text(*split);
  }
}

}  // namespace
}  // namespace pipeline

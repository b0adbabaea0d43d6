// mistake: all gradients are the same number
// fails: Catches.MeanOfMeans
// says: Your tests pass, although this is wrong
// points: 2
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(Accumulate, IsTheMeanOfAllRows) {
  const std::vector<double> mean = accumulate({{1, 1}, {1, 1}}, {3, 2});
  ASSERT_EQ(mean.size(), 2U);
  EXPECT_NEAR(mean[0], 1, 1e-9);
  EXPECT_NEAR(mean[1], 1, 1e-9);
}

}  // namespace
}  // namespace pipeline

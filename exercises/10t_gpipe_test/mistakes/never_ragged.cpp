// mistake: micro-batches are never ragged
// fails: Catches.MeanOfMeans
// says: Your tests pass, although this is wrong
// points: 3
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(Accumulate, IsTheMeanOfAllRows) {
  const std::vector<double> mean = accumulate({{1, -4}, {2, 8}, {9, 5}}, {4, 4, 4});
  ASSERT_EQ(mean.size(), 2U);
  EXPECT_NEAR(mean[0], 4, 1e-9);
  EXPECT_NEAR(mean[1], 3, 1e-9);
}

}  // namespace
}  // namespace pipeline

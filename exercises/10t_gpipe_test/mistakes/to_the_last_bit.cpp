// mistake: compares sums of fractions to their last bit
// fails: Accepts.TheSolution
// says: Your tests reject the solution
// points: 0
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(Accumulate, IsTheMeanOfAllRows) {
  double sum = 0;
  for (const double row : {0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9}) sum += row;
  const double first = (0.1 + 0.2 + 0.3) / 3;
  const double second = (0.4 + 0.5 + 0.7 + 0.9) / 4;
  EXPECT_EQ(accumulate({{first}, {second}}, {3, 4}), std::vector<double>{sum / 7});
}

}  // namespace
}  // namespace pipeline

// mistake: fails whatever is answered
// points: 0
// fails: Catches.SumInsteadOfMean
// says: must accept the solution
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(GPipe, IsWrong) {
  EXPECT_TRUE(gpipe_row(0, 1).empty()) << "whatever it is";
  FAIL();
}

}  // namespace
}  // namespace pipeline

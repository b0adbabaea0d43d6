// mistake: fails whatever is answered
// fails: Accepts.TheSolution
// says: whatever it is
// points: 0
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(GPipe, IsWrong) {
  EXPECT_TRUE(gpipe_row(0, 1).empty()) << "whatever it is";
  FAIL();
}

}  // namespace
}  // namespace pipeline

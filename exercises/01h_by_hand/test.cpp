#include <gtest/gtest.h>

#include "classroom/by_hand_tests.hpp"
#include "classroom/points.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(Level1, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(1, level_1()));
}

TEST(Level1, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(1, level_1()));
}

TEST(Level1, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(1, level_1()));
}

}  // namespace
}  // namespace pipeline

#include <gtest/gtest.h>

#include "classroom/by_hand_tests.hpp"
#include "classroom/points.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(Level10, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(10, level_10()));
}

TEST(Level10, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(10, level_10()));
}

TEST(Level10, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(10, level_10()));
}

}  // namespace
}  // namespace pipeline

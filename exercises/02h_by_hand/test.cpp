#include <gtest/gtest.h>

#include "classroom/by_hand_tests.hpp"
#include "classroom/points.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(Level2, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(2, level_2()));
}

TEST(Level2, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(2, level_2()));
}

TEST(Level2, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(2, level_2()));
}

}  // namespace
}  // namespace pipeline

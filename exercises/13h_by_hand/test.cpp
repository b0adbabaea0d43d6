#include <gtest/gtest.h>

#include "classroom/by_hand_tests.hpp"
#include "classroom/points.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(Level8, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(8, level_8()));
}

TEST(Level8, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(8, level_8()));
}

TEST(Level8, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(8, level_8()));
}

TEST(Level9, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(9, level_9()));
}

TEST(Level9, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(9, level_9()));
}

TEST(Level9, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(9, level_9()));
}

}  // namespace
}  // namespace pipeline

#include <gtest/gtest.h>

#include "classroom/by_hand_tests.hpp"
#include "classroom/points.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(Level11, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(11, level_11()));
}

TEST(Level11, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(11, level_11()));
}

TEST(Level11, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(11, level_11()));
}

TEST(Level12, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(12, level_12()));
}

TEST(Level12, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(12, level_12()));
}

TEST(Level12, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(12, level_12()));
}

}  // namespace
}  // namespace pipeline

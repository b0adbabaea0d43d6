#include <gtest/gtest.h>

#include "classroom/by_hand_tests.hpp"
#include "classroom/points.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(Level13, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(13, level_13()));
}

TEST(Level13, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(13, level_13()));
}

TEST(Level13, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(13, level_13()));
}

TEST(Level14, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(14, level_14()));
}

TEST(Level14, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(14, level_14()));
}

TEST(Level14, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(14, level_14()));
}

TEST(Level15, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(15, level_15()));
}

TEST(Level15, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(15, level_15()));
}

TEST(Level15, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(15, level_15()));
}

}  // namespace
}  // namespace pipeline

#include <gtest/gtest.h>

#include "classroom/by_hand_tests.hpp"
#include "classroom/points.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(Level7, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(7, level_7()));
}

TEST(Level7, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(7, level_7()));
}

TEST(Level7, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(7, level_7()));
}

}  // namespace
}  // namespace pipeline

#include <gtest/gtest.h>

#include "classroom/by_hand_tests.hpp"
#include "classroom/points.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(Level4, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(4, level_4()));
}

TEST(Level4, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(4, level_4()));
}

TEST(Level4, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(4, level_4()));
}

}  // namespace
}  // namespace pipeline

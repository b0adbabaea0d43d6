#include <gtest/gtest.h>

#include "classroom/by_hand_tests.hpp"
#include "classroom/points.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(Level16, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(16, level_16()));
}

TEST(Level16, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(16, level_16()));
}

TEST(Level16, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(16, level_16()));
}

}  // namespace
}  // namespace pipeline

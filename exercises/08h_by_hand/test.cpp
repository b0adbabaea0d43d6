#include <gtest/gtest.h>

#include "classroom/by_hand_tests.hpp"
#include "classroom/points.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(Level5, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(5, level_5()));
}

TEST(Level5, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(5, level_5()));
}

TEST(Level5, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(5, level_5()));
}

}  // namespace
}  // namespace pipeline

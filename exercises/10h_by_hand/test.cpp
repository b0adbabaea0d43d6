#include <gtest/gtest.h>

#include "classroom/by_hand_tests.hpp"
#include "classroom/points.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(Level6, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(6, level_6()));
}

TEST(Level6, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(6, level_6()));
}

TEST(Level6, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(6, level_6()));
}

}  // namespace
}  // namespace pipeline

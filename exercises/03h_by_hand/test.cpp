#include <gtest/gtest.h>

#include "classroom/by_hand_tests.hpp"
#include "classroom/points.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(Level3, IsAScheduleOfItsBoard) {
  POINTS(1);
  expect_no(board_fault(3, level_3()));
}

TEST(Level3, MeetsItsGoal) {
  POINTS(2);
  expect_no(goal_fault(3, level_3()));
}

TEST(Level3, ReachesTheProvenOptimum) {
  POINTS(1);
  expect_no(optimum_fault(3, level_3()));
}

}  // namespace
}  // namespace pipeline

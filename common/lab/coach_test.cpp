#include "lab/coach.hpp"

#include <gtest/gtest.h>

#include <string>

#include "lab/board_test_support.hpp"
#include "schedule/exact.hpp"

namespace pipeline {
namespace {

CoachedGoal goal_of(const BoardLevel& level) {
  return {level.measure, level.optimum, solution_of(level)};
}

TEST(Coach, LeadsToThreeStarsOnEveryLevel) {
  for (const BoardLevel& level : levels()) {
    Board board(rules_of(level));
    const CoachedGoal goal = goal_of(level);
    while (board.left() > 0) {
      const Advice advice = advise(board, goal);
      ASSERT_TRUE(advice.next) << level.number << ": " << advice.text;
      EXPECT_NE(advice.text.find("can still be reached"), std::string::npos);
      ASSERT_EQ(board.refusal(advice.next->move), "") << level.number;
      board.place(advice.next->move);
    }
    EXPECT_EQ(stars_of(level, board), 3) << level.number;
    EXPECT_NE(advise(board, goal).text.find("the least that is possible"),
              std::string::npos);
  }
}

/// Every order of two devices with two micro-batches: that the optimum is out of reach
/// is said of no board from which it is reached.
void expect_no_false_alarm(const std::string& moves, bool* reached) {
  const BoardRules rules = line_board(2, 2, "FB");
  Board board(rules);
  ASSERT_EQ(play(board, moves), "");
  *reached = board.left() == 0 && measured(board, BoardMeasure::Makespan) == 9;
  for (const ReadyMove& ready : board.ready()) {
    bool below = false;
    expect_no_false_alarm(
        moves + (moves.empty() ? "" : ".") + to_text(ready.move, rules.blank), &below);
    *reached = *reached || below;
  }
  const bool gives_up = least_possible(board, BoardMeasure::Makespan) > 9;
  EXPECT_FALSE(gives_up && *reached) << moves;
}

TEST(Coach, NeverSaysThatTheOptimumIsLostWhereItIsNot) {
  bool reached = false;
  expect_no_false_alarm("", &reached);
  EXPECT_TRUE(reached);
}

TEST(Coach, SaysThatTheOptimumIsLostOnceThatIsProven) {
  const BoardLevel& level = *find_level(5);
  Board board(rules_of(level));
  ASSERT_EQ(play(board, "0F0.1F0.1B0.0B0"), "");
  EXPECT_NE(advise(board, goal_of(level))
                .text.find("at least 12 ticks, where 9 ticks were possible"),
            std::string::npos)
      << advise(board, goal_of(level)).text;
}

TEST(Coach, SaysWhichDeviceIsFull) {
  const BoardLevel& level = *find_level(8);
  Board board(rules_of(level));
  ASSERT_EQ(play(board, "0F0.0F1.0F2"), "");
  EXPECT_NE(advise(board, goal_of(level)).text.find("Device 0 is full, with 3 of 3"),
            std::string::npos);
}

TEST(Coach, NamesADeadEnd) {
  BoardRules rules = line_board(1, 2, "FB");
  rules.blank.placement = loop_placement(1, 2);
  rules.memory_limit = {1};
  Board board(rules);
  ASSERT_EQ(play(board, "00F0.00F1"), "");
  const Advice advice = advise(board, {});
  EXPECT_FALSE(advice.next);
  EXPECT_NE(advice.text.find("Nothing can go on"), std::string::npos);
}

TEST(Coach, NamesTheLongestWaitOfAWholeStep) {
  const BoardLevel& level = *find_level(5);
  Board board(rules_of(level));
  ASSERT_EQ(play(board, "0F0.1F0.1B0.0B0.0F1.1F1.1B1.0B1"), "");
  EXPECT_EQ(advise(board, goal_of(level)).text,
            "The step takes 12 ticks; 9 ticks would do. Device 0 waits longest, 3 "
            "ticks, before B0 of stage 0.");
}

TEST(LeastPossible, IsNeverAboveWhatTheExactSearchFinds) {
  for (std::int32_t p = 1; p <= 3; ++p) {
    for (std::int32_t m = 1; m <= 3; ++m) {
      for (const char* kinds : {"FB", "FIW"}) {
        const BoardRules rules = line_board(p, m, kinds);
        ExactOptions options;
        options.split_backward = rules.kinds.size() == 3;
        const auto answer = exact(rules.blank.placement, m, rules.costs, {}, options);
        ASSERT_TRUE(answer);
        const double bound = least_possible(Board(rules), BoardMeasure::Makespan);
        EXPECT_LE(bound, answer->optimum) << p << " " << m << " " << kinds;
        EXPECT_GE(bound, 3.0 * m);
      }
    }
  }
}

}  // namespace
}  // namespace pipeline

#include "lab/coach.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "lab/board_test_support.hpp"
#include "schedule/exact.hpp"
#include "schedule/random_schedules.hpp"

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

TEST(Coach, CallsNoSpoiltStartTheLeastThatIsPossible) {
  Board board(line_board(2, 2, "FB"));
  ASSERT_EQ(play(board, "0F0.1F0.1B0.0B0.0F1.1F1"), "");
  EXPECT_EQ(advise(board, {}).text,
            "Next: B1 of stage 1 on device 1, after 8 ticks: it frees an activation, "
            "and stage 0 waits for its gradient. From here 12 ticks, the least that is "
            "still possible, can be reached.");
  Board fresh(line_board(2, 2, "FB"));
  EXPECT_EQ(advise(fresh, {}).text,
            "Next: F0 of stage 0 on device 0: stage 1 waits for its activation. From "
            "here 9 ticks, the least that is possible, can still be reached.");
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

/// Two stages a device or one, whole costs, messages that may take a tick, and limits
/// within which something can be done.
BoardRules random_rules(test::Random& random, std::string_view kinds) {
  const std::int32_t devices = random.between(1, 3);
  BoardRules rules = line_board(devices, random.between(1, 3), kinds);
  const std::int32_t way = random.between(0, 2);
  if (way == 1) rules.blank.placement = loop_placement(devices, 2);
  if (way == 2) rules.blank.placement = v_placement(devices);
  rules.costs.stages.clear();
  for (std::int32_t s = 0; s < rules.blank.stages(); ++s) {
    rules.costs.stages.push_back({.forward = 1.0 * random.between(1, 3),
                                  .input_gradient = 1.0 * random.between(1, 2),
                                  .weight_gradient = 1.0 * random.between(1, 2)});
  }
  rules.costs.within_node.latency = rules.costs.between_nodes.latency =
      random.between(0, 1);
  const std::int32_t most = random.between(0, 3);
  if (most > 0) rules.memory_limit = {1.0 * most};
  return rules;
}

/// From no beginning of a best schedule is more than it takes called the least; nor,
/// from anywhere in a game, more than that game comes to.
TEST(LeastPossible, IsBeatenByNoWayFromWhereItIsSaid) {
  test::Random random(23);
  int searched = 0;
  for (int round = 0; round < 60; ++round) {
    const char* kinds = random.one_in(2) ? "FB" : "FIW";
    const BoardRules rules = random_rules(random, kinds);
    for (const BoardMeasure measure :
         {BoardMeasure::Makespan, BoardMeasure::LongestSpan}) {
      ExactOptions options{.split_backward = rules.kinds.size() == 3,
                           .most_states = 20'000};
      options.objective = measure == BoardMeasure::Makespan
                              ? ExactObjective::Makespan
                              : ExactObjective::LongestSpan;
      auto answer = exact(rules.blank.placement, rules.blank.micro_batches, rules.costs,
                          {rules.memory_limit, 0}, options);
      if (!answer) continue;  // too many states
      ++searched;
      erase_updates(answer->schedule);
      Board whole(rules);
      follow(whole, answer->schedule);
      ASSERT_EQ(whole.left(), 0U);
      Board board(rules);
      EXPECT_LE(least_possible(board, measure), answer->optimum) << round;
      for (const Move& move : whole.moves()) {
        board.place(move);
        EXPECT_LE(least_possible(board, measure), answer->optimum)
            << round << ", after " << board.moves().size() << " moves";
      }
    }
  }
  EXPECT_GT(searched, 60);
}

TEST(LeastPossible, IsBeatenByNoGame) {
  test::Random random(24);
  int whole = 0;
  for (int round = 0; round < 120; ++round) {
    constexpr std::array<const char*, 4> kKinds{"F", "FB", "FIW", "FRB"};
    const BoardRules rules =
        random_rules(random, kKinds[static_cast<std::size_t>(round) % kKinds.size()]);
    Board board(rules);
    std::vector<std::array<double, 2>> bounds;
    while (board.left() > 0) {
      bounds.push_back({least_possible(board, BoardMeasure::Makespan),
                        least_possible(board, BoardMeasure::LongestSpan)});
      const auto ready = board.ready();
      if (ready.empty()) break;
      const auto last = static_cast<std::int32_t>(ready.size()) - 1;
      board.place(ready[static_cast<std::size_t>(random.between(0, last))].move);
    }
    if (board.left() > 0) continue;  // no room in memory
    ++whole;
    for (const auto& [makespan, longest_span] : bounds) {
      EXPECT_LE(makespan, measured(board, BoardMeasure::Makespan)) << round;
      EXPECT_LE(longest_span, measured(board, BoardMeasure::LongestSpan)) << round;
    }
  }
  EXPECT_GT(whole, 80);
}

TEST(NoLongerThan, AllowsForTheRoundingOfSumsAndNoMore) {
  EXPECT_TRUE(no_longer_than(0.1 + 0.2, 0.3));
  EXPECT_TRUE(no_longer_than(0.3, 0.1 + 0.2));
  EXPECT_TRUE(no_longer_than(0, 0));
  EXPECT_FALSE(no_longer_than(12e-10, 9e-10));
  EXPECT_FALSE(no_longer_than(1e-12, 0));
  EXPECT_FALSE(no_longer_than(1'000'001, 1'000'000));
}

}  // namespace
}  // namespace pipeline

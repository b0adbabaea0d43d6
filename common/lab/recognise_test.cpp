#include "lab/recognise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lab/board_test_support.hpp"
#include "schedule/generate.hpp"

namespace pipeline {
namespace {

std::string recognised(BoardRules rules, std::string_view moves) {
  Board board(std::move(rules));
  EXPECT_EQ(play(board, moves), "");
  return recognise(board).name;
}

TEST(Recognise, NamesTheReferenceOfEachLevel) {
  for (const BoardLevel& level : levels()) {
    if (level.reference_value != level.optimum) continue;
    Board board(rules_of(level));
    follow(board, solution_of(level));
    const Recognition found = recognise(board);
    EXPECT_EQ(found.name, title_of(level.reference)) << level.number;
  }
}

/// What a board can hold has a title, but for what is searched for anew each time.
TEST(Recognise, HasATitleForEveryGeneratorOfABoard) {
  std::vector<BoardRules> boards;
  for (const char* kinds : {"F", "FB", "FIW"}) {
    for (const std::int32_t p : {1, 2, 4}) {
      BoardRules rules = line_board(p, 8, kinds);
      boards.push_back(rules);
      for (const Placement& placement :
           {loop_placement(p, 2), v_placement(p), two_way_placement(p)}) {
        rules.blank.placement = placement;
        boards.push_back(rules);
      }
    }
  }
  for (const Generator& generator : generators()) {
    if (generator.name == "zb-auto") continue;
    const bool fits = std::any_of(boards.begin(), boards.end(), [&](const auto& rules) {
      return generated(generator.name, rules).has_value();
    });
    EXPECT_EQ(fits, title_of(generator.name) != generator.name) << generator.name;
  }
}

/// Their rows are those of 1F1B and GPipe, but not what they do.
TEST(Recognise, TellsWhatUsesOtherWeightsOrSlices) {
  const BoardRules rules = line_board(2, 4, "FB");
  EXPECT_TRUE(generated("1f1b", rules));
  for (const char* other :
       {"pipedream", "pipedream-vertical-sync", "pipedream-2bw", "token-slices"}) {
    EXPECT_FALSE(generated(other, rules)) << other;
  }
  BoardRules two_steps = rules;
  two_steps.blank.steps = 2;
  EXPECT_FALSE(generated("1f1b", two_steps));
}

TEST(Recognise, SaysNothingBeforeAllIsPlaced) {
  EXPECT_EQ(recognised(line_board(2, 2, "FB"), "0F0.1F0.1B0.0F1"), "");
}

TEST(Recognise, TellsOneFOneBFromGPipe) {
  EXPECT_EQ(recognised(line_board(2, 3, "FB"),
                       "0F0.0F1.0F2.1F0.1F1.1F2.1B0.1B1.1B2."
                       "0B0.0B1.0B2"),
            "GPipe");
  EXPECT_EQ(recognised(line_board(2, 3, "FB"),
                       "0F0.0F1.1F0.1B0.1F1.1B1.0B0.0F2.1F2."
                       "1B2.0B1.0B2"),
            "1F1B");
}

TEST(Recognise, DoesNotAskWhichMicroBatchWhereItDoesNotMatter) {
  EXPECT_EQ(recognised(line_board(2, 2, "FB"), "0F0.0F1.1F0.1F1.1B1.1B0.0B1.0B0"),
            "GPipe");
  EXPECT_EQ(recognised(line_board(2, 2, "F"), "0F1.0F0.1F1.1F0"),
            "the forward pipeline");
}

TEST(Recognise, NamesNothingWhereTheSameKindsTakeLonger) {
  EXPECT_EQ(recognised(line_board(2, 2, "F"), "0F1.0F0.1F0.1F1"), "");
}

TEST(Recognise, NamesWhatTakesAsLongAndHoldsAsMuch) {
  Board board(line_board(1, 2, "FB"));
  ASSERT_EQ(play(board, "0F0.0B0.0F1.0B1"), "");
  const Recognition found = recognise(board);
  EXPECT_EQ(found.name, "naive model parallelism");
  EXPECT_EQ(found.alike, std::vector<std::string>{"1F1B"});
}

}  // namespace
}  // namespace pipeline

#include "lab/recognise.hpp"

#include <gtest/gtest.h>

#include <string>

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

#include "lab/hand_in.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "lab/board_test_support.hpp"
#include "schedule/text.hpp"

namespace pipeline {
namespace {

std::string solved(const BoardLevel& level) {
  Board board(rules_of(level));
  follow(board, solution_of(level));
  return hand_in(level, board);
}

std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c != ' ' && c != '\n') {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return line;
}

TEST(HandIn, IsAWholeFileThatSaysWhichExerciseItIs) {
  EXPECT_EQ(
      solved(*find_level(9)),
      "// Exercise 13h, built by hand. The task is in\n"
      "// exercises/13h_by_hand/README.md.\n"
      "#include \"exercise.hpp\"\n"
      "\n"
      "namespace pipeline {\n"
      "\n"
      "std::string level_8() {\n"
      "  return \"\";  // not built yet: put the function of that level's file "
      "here\n"
      "}\n"
      "\n"
      "std::string level_9() {\n"
      "  return R\"(" +
          [] {
            Board board(rules_of(*find_level(9)));
            follow(board, solution_of(*find_level(9)));
            return to_text(finished(board));
          }() +
          ")\";\n"
          "}\n"
          "\n"
          "}  // namespace pipeline\n");
}

TEST(HandIn, BringsTheScheduleOfEachLevelBack) {
  for (const BoardLevel& level : levels()) {
    const std::string text = solved(level);
    EXPECT_TRUE(text.starts_with("// Exercise " + std::string(level.chapter) + "h, "));
    EXPECT_NE(text.find("exercises/" + exercise_of(level) + "/"), text.npos);
    const std::size_t begin = text.find("R\"(") + 3;
    const auto schedule =
        parse_schedule(text.substr(begin, text.find(")\";", begin) - begin));
    ASSERT_TRUE(schedule) << schedule.error().what;
    Board board(rules_of(level));
    follow(board, solution_of(level));
    EXPECT_EQ(schedule->rows, finished(board).rows) << level.number;
  }
}

/// The exercise's page says what the board says.
TEST(HandIn, BelongsToAnExerciseThatGivesTheSameTask) {
  for (const BoardLevel& level : levels()) {
    std::ifstream file(std::string(WORKBOOK_ROOT "/exercises/") + exercise_of(level) +
                       "/README.md");
    const std::string page = in_one_line({std::istreambuf_iterator<char>(file), {}});
    const std::string task = "**Level " + std::to_string(level.number) + ": " +
                             std::string(level.title) + ".** " +
                             std::string(level.task) + " Goal: ";
    EXPECT_NE(page.find(task), page.npos) << task;
    EXPECT_NE(page.find(" takes at most " + std::to_string(level.goal) +
                        " ticks. No schedule takes fewer than " +
                        std::to_string(level.optimum) + "."),
              page.npos)
        << level.number;
    for (const std::string_view hint : level.hints)
      EXPECT_NE(page.find(hint), page.npos) << hint;
  }
}

}  // namespace
}  // namespace pipeline

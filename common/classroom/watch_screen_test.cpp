#include "classroom/watch_screen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace pipeline {
namespace {

TestCase made_case(const std::string& name, const std::string& message) {
  TestCase made;
  made.name = name;
  made.points = 2;
  made.message = message;
  made.outcome = message.empty() ? Outcome::Passed : Outcome::Failed;
  return made;
}

WatchScene example() {
  WatchScene scene;
  scene.exercise = {"02", "timeline"};
  scene.solved = 7;
  scene.of = 21;
  scene.hints_left = 3;
  scene.next = Unit{"03", "balance"};
  scene.attempt = Attempt();
  scene.attempt->end = Attempt::End::Tested;
  scene.attempt->report.cases = {
      made_case("Wave.IsDiagonal", ""),
      made_case("Wave.HasCorners", "test.cpp:7\nExpected a corner, got none."),
      made_case("Wave.Ends", "test.cpp:9\nNot shown yet.")};
  return scene;
}

std::size_t widest(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    widest = std::max(widest, columns(text.substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

long lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST(WatchScreen, ShowsTheFirstFailureProgressAndKeys) {
  EXPECT_EQ(draw_watch(example(), {80, false}, 23),
            "Exercise 02 timeline                       "
            "[######--------------] 7 of 21 solved\n"
            "exercises/02_timeline/exercise.cpp\n"
            "\n"
            "1 of 3 tests pass, 2 of 6 points.\n"
            "\n"
            "First to mend: wave has corners\n"
            "    Expected a corner, got none.\n"
            "\n"
            "h hint (3 left)   n next   l list   c check again   q quit\n");
}

TEST(WatchScreen, SaysWhatComesAfterASolvedExercise) {
  WatchScene scene = example();
  scene.attempt->report.cases.resize(1);
  const std::string text = draw_watch(scene, {80, false}, 23);
  EXPECT_NE(text.find("Solved!\n\nWhy it is so: ./workbook solution 02\n"
                      "Go on with 03 balance: press n\n"),
            std::string::npos)
      << text;
  scene.next = std::nullopt;
  EXPECT_NE(draw_watch(scene, {80, false}, 23).find("Every exercise is solved."),
            std::string::npos);
}

TEST(WatchScreen, FitsEveryTerminal) {
  WatchScene scene = example();
  scene.hint = "Hint 1 of 4\n\n  Draw three devices and four micro-batches on paper.";
  std::string& message = scene.attempt->report.cases[1].message;
  for (int i = 0; i < 30; ++i) message += "\nline " + std::to_string(i);
  for (const std::size_t width : {80U, 60U, 40U, 24U}) {
    const std::string text = draw_watch(scene, {width, false}, 23);
    EXPECT_LE(widest(text), width) << text;
    EXPECT_EQ(lines(text), 23) << text;
    EXPECT_NE(text.find("more lines:"), std::string::npos) << text;
    EXPECT_NE(text.find("h hint"), std::string::npos) << text;
    EXPECT_NE(text.find("Hint 1 of 4"), std::string::npos) << text;
  }
}

TEST(WatchScreen, IsTheSameInColour) {
  std::string coloured = draw_watch(example(), {80, true}, 23);
  EXPECT_NE(coloured.find("\033[1mExercise 02 timeline\033[0m"), std::string::npos);
  for (std::size_t at = coloured.find('\033'); at != coloured.npos;
       at = coloured.find('\033')) {
    coloured.erase(at, coloured.find('m', at) + 1 - at);
  }
  EXPECT_EQ(coloured, draw_watch(example(), {80, false}, 23));
}

TEST(WatchScreen, ObeysNothingThatAnAnswerSays) {
  WatchScene scene = example();
  scene.attempt->report.cases[1].message = "test.cpp:7\n\033[2J\rgone\x07";
  const std::string text = draw_watch(scene, {80, false}, 23);
  EXPECT_NE(text.find("?[2J?gone?\n"), std::string::npos) << text;
}

TEST(WatchScreen, ListsTheExercisesAroundTheMarkedOne) {
  Standings standings;
  for (const char* number : {"01", "02", "03", "10", "10t", "11"}) {
    standings.all.push_back({{number, "x"}, ExerciseState::NotStarted});
  }
  standings.all[0].state = ExerciseState::Solved;
  EXPECT_EQ(draw_list(standings, 4, {80, false}, 40),
            "[###-----------------] 1 of 6 solved\n"
            "\n"
            "   01 x   solved\n"
            "   02 x   not started\n"
            "   03 x   not started\n"
            "   10 x   not started\n"
            ">  10t x  not started\n"
            "   11 x   not started\n"
            "\n"
            "up, down move   Enter goes there   l back   q quit\n");
  for (std::size_t marked = 0; marked < 6; ++marked) {
    const std::string text = draw_list(standings, marked, {80, false}, 7);
    EXPECT_EQ(lines(text), 7) << text;
    EXPECT_NE(text.find(">  " + standings.all[marked].exercise.number),
              std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace pipeline

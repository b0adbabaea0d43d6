#include "classroom/progress.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "classroom/files.hpp"
#include "classroom/scratch_folder.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

/// A workbook with one exercise, whose starter is "begin\n".
class Progress : public testing::Test {
 protected:
  Progress() {
    fs::create_directories(at_.root / "exercises" / "01_ticks");
    fs::create_directories(at_.root / "solutions" / "01_ticks");
    EXPECT_TRUE(write_file(solution_path(at_, exercise_),
                           "begin\n// <solution>\nend\n// </solution>\n"));
    answer("begin\n");
  }
  void answer(const std::string& text) {
    ASSERT_TRUE(write_file(answer_path(at_, exercise_), text));
  }
  ExerciseState state() const { return exercise_state(at_, exercise_); }

  ScratchFolder folder_;
  Workspace at_ = {folder_.path(), folder_ / "build"};
  Unit exercise_ = {"01", "ticks"};
};

TEST_F(Progress, BeginsWithTheFirstEdit) {
  EXPECT_EQ(state(), ExerciseState::NotStarted);
  answer("begin\nmine\n");
  EXPECT_EQ(state(), ExerciseState::InProgress);
}

TEST_F(Progress, IsSolvedAsLongAsTheAnswerIsTheOneThatPassed) {
  answer("mine\n");
  EXPECT_FALSE(has_passed(at_, exercise_));
  ASSERT_TRUE(remember_attempt(at_, exercise_, "mine\n", true));
  EXPECT_EQ(state(), ExerciseState::Solved);
  answer("mine, and broken\n");
  EXPECT_EQ(state(), ExerciseState::InProgress);
  EXPECT_TRUE(has_passed(at_, exercise_));  // once is enough for the solution
  ASSERT_TRUE(remember_attempt(at_, exercise_, "mine, and broken\n", false));
  EXPECT_TRUE(has_passed(at_, exercise_));
  answer("begin\n");
  EXPECT_EQ(state(), ExerciseState::NotStarted);
}

TEST_F(Progress, IsOneReadableFile) {
  answer("mine\n");
  ASSERT_TRUE(remember_attempt(at_, exercise_, "mine\n", true));
  ASSERT_TRUE(remember_hints(at_, {"10t", "gpipe_tests"}, 2));
  const auto text = read_file(at_.state() / "progress.txt");
  ASSERT_TRUE(text);
  EXPECT_TRUE(
      text->ends_with("\n01   solved  0 hints  current\n"
                      "10t  begun   2 hints\n"))
      << *text;
}

TEST_F(Progress, ResetKeepsEveryAnswerThatItReplaces) {
  answer("first\n");
  const auto first = reset_exercise(at_, exercise_);
  answer("second\n");
  const auto second = reset_exercise(at_, exercise_);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(read_file(*first), "first\n");
  EXPECT_EQ(read_file(*second), "second\n");
  EXPECT_EQ(read_file(answer_path(at_, exercise_)), "begin\n");
}

TEST_F(Progress, ResetOfAStarterKeepsNothing) {
  const auto kept = reset_exercise(at_, exercise_);
  ASSERT_TRUE(kept);
  EXPECT_TRUE(kept->empty());
  EXPECT_FALSE(fs::exists(at_.state()));
}

TEST_F(Progress, ResetPutsADeletedFileBack) {
  fs::remove(answer_path(at_, exercise_));
  ASSERT_TRUE(reset_exercise(at_, exercise_));
  EXPECT_EQ(read_file(answer_path(at_, exercise_)), "begin\n");
}

TEST_F(Progress, ResetThatCannotKeepTheAnswerLeavesIt) {
  answer("mine\n");
  ASSERT_TRUE(write_file(at_.state(), "a file where the folder should be"));
  EXPECT_FALSE(reset_exercise(at_, exercise_));
  EXPECT_EQ(read_file(answer_path(at_, exercise_)), "mine\n");
}

TEST_F(Progress, ResetSaysWhatStandsInTheWay) {
  fs::remove(answer_path(at_, exercise_));
  fs::create_directory(answer_path(at_, exercise_));
  const auto refused = reset_exercise(at_, exercise_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "exercises/01_ticks/exercise.cpp is not a file, but a folder");
  EXPECT_EQ(refused.error().remedy, "Move it away, then: ./workbook reset 01");
}

TEST_F(Progress, CountsHints) {
  EXPECT_EQ(hints_shown(at_, exercise_), 0U);
  ASSERT_TRUE(remember_hints(at_, exercise_, 2));
  EXPECT_EQ(hints_shown(at_, exercise_), 2U);
  EXPECT_EQ(hints_shown(at_, {"02", "timeline"}), 0U);
}

TEST_F(Progress, OfAnOlderReleaseIsReadOverOnce) {
  fs::create_directories(at_.state() / "solved");
  ASSERT_TRUE(write_file(at_.state() / "hints.json", R"({"01": 2})"));
  ASSERT_TRUE(write_file(at_.state() / "solved" / "01_ticks.cpp", "mine\n"));
  EXPECT_EQ(hints_shown(at_, exercise_), 2U);
  EXPECT_TRUE(has_passed(at_, exercise_));
  ASSERT_TRUE(remember_hints(at_, exercise_, 3));
  EXPECT_FALSE(fs::exists(at_.state() / "hints.json"));
  EXPECT_EQ(hints_shown(at_, exercise_), 3U);
  EXPECT_TRUE(has_passed(at_, exercise_));
}

TEST_F(Progress, TakesDamagedHintsOfAnOlderReleaseForNone) {
  fs::create_directories(at_.state());
  for (const char* damaged :
       {"", "{\"01\":", "[]", R"({"01": "x"})", R"({"01": -1})"}) {
    ASSERT_TRUE(write_file(at_.state() / "hints.json", damaged));
    EXPECT_EQ(hints_shown(at_, exercise_), 0U) << damaged;
  }
}

TEST_F(Progress, NamesDamageAndKeepsTheDamagedFile) {
  const std::string damaged = "01 solved 1 hint\n02 beg\x1b[2Jun 1 hint\n";
  fs::create_directories(at_.state());
  ASSERT_TRUE(write_file(at_.state() / "progress.txt", damaged));
  EXPECT_EQ(damage_in_words(at_).find(".workbook/progress.txt, line 2, says nothing "
                                      "that counts: '02 beg?[2Jun 1 hint'\n"),
            0U)
      << damage_in_words(at_);
  ASSERT_TRUE(remember_hints(at_, exercise_, 2));
  EXPECT_EQ(damage_in_words(at_), "");
  EXPECT_TRUE(has_passed(at_, exercise_));
  std::vector<fs::path> kept(fs::directory_iterator(at_.state() / "backup"), {});
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(read_file(kept[0]), damaged);
}

TEST_F(Progress, IsNotReplacedWhereItCannotBeRead) {
  fs::create_directories(at_.state() / "progress.txt" / "inside");
  EXPECT_FALSE(remember_hints(at_, exercise_, 2));
  EXPECT_TRUE(fs::exists(at_.state() / "progress.txt" / "inside"));
}

TEST_F(Progress, GoesOnWithTheCurrentExerciseElseWithWhatWasBegun) {
  Standings standings;
  standings.all = {{{"01", "a"}, ExerciseState::Solved},
                   {{"02", "b"}, ExerciseState::NotStarted},
                   {{"10t", "c"}, ExerciseState::InProgress},
                   {{"11", "d"}, ExerciseState::NotStarted}};
  EXPECT_EQ(standings.solved(), 1U);
  EXPECT_EQ(standings.next()->exercise.number, "10t");
  standings.current = "11";
  EXPECT_EQ(standings.next()->exercise.number, "11");
  standings.current = "01";  // solved: not that one
  EXPECT_EQ(standings.next()->exercise.number, "10t");
  EXPECT_EQ(standings.after("02")->exercise.number, "10t");
  EXPECT_EQ(standings.after("11")->exercise.number, "02");
  standings.all.resize(1);
  EXPECT_EQ(standings.next(), nullptr);
  EXPECT_EQ(standings.after("01"), nullptr);
}

}  // namespace
}  // namespace pipeline

#include "classroom/progress.hpp"

#include <gtest/gtest.h>

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
  ASSERT_TRUE(remember_solved(at_, exercise_));
  EXPECT_EQ(state(), ExerciseState::Solved);
  answer("mine, and broken\n");
  EXPECT_EQ(state(), ExerciseState::InProgress);
  answer("begin\n");
  EXPECT_EQ(state(), ExerciseState::NotStarted);
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

TEST_F(Progress, CountsHints) {
  EXPECT_EQ(hints_shown(at_, exercise_), 0U);
  ASSERT_TRUE(remember_hints(at_, exercise_, 2));
  EXPECT_EQ(hints_shown(at_, exercise_), 2U);
  EXPECT_EQ(hints_shown(at_, {"02", "timeline"}), 0U);
}

TEST_F(Progress, TakesDamagedHintsForNone) {
  ASSERT_TRUE(remember_hints(at_, exercise_, 2));
  for (const char* damaged :
       {"", "{\"01\":", "[]", R"({"01": "x"})", R"({"01": -1})"}) {
    ASSERT_TRUE(write_file(at_.state() / "hints.json", damaged));
    EXPECT_EQ(hints_shown(at_, exercise_), 0U) << damaged;
  }
}

}  // namespace
}  // namespace pipeline

#include "grading/submission.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "classroom/files.hpp"
#include "classroom/scratch_folder.hpp"
#include "grading/archive.hpp"
#include "lab/hand_in.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

/// A checkout with two exercises, and a class that hands in.
class SubmissionTest : public testing::Test {
 protected:
  SubmissionTest() {
    for (const char* folder : {"01_ticks", "02_timeline"}) {
      const std::string exercise = std::string("checkout/exercises/") + folder;
      put(exercise + "/exercise.hpp", "contract");
      put(exercise + "/test.cpp", "tests");
      put(exercise + "/exercise.cpp", "starter");
      put(std::string("checkout/solutions/") + folder + "/exercise.cpp", "solution");
    }
    put("checkout/common/classroom/points.hpp", "points");
    fs::create_directories(scratch_ / "class");
  }

  void put(const std::string& path, std::string_view text) {
    fs::create_directories((scratch_ / path).parent_path());
    ASSERT_TRUE(write_file(scratch_ / path, text).has_value());
  }
  void hand_in(const std::string& path, std::string_view text = "answer") {
    put("class/" + path, text);
  }
  HandedInFolder read() {
    auto folder = read_submissions(scratch_ / "class");
    EXPECT_TRUE(folder.has_value()) << folder.error().what;
    return folder ? std::move(*folder) : HandedInFolder{};
  }
  std::vector<Submission> find() {
    AnswerFinder finder(scratch_ / "checkout", {"01", "ticks"});
    std::vector<Submission> submissions;
    for (HandedIn& student : read().students)
      submissions.push_back(finder.find(student));
    return submissions;
  }
  Submission find_one() {
    std::vector<Submission> all = find();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? Submission{} : all[0];
  }
  Expected<Unit> guess() {
    return guess_exercise(read().students,
                          list_units(scratch_ / "checkout", "exercises"));
  }

  ScratchFolder scratch_;
};

using Notes = std::vector<std::string>;

TEST_F(SubmissionTest, FindsTheAnswerWhereverStudentsPutIt) {
  hand_in("a/exercise.cpp");
  hand_in("b/deep/within/exercise.cpp");
  hand_in("c/exercises/01_ticks/exercise.cpp");
  hand_in("c/exercises/02_timeline/exercise.cpp", "another exercise");
  hand_in("c/solutions/01_ticks/exercise.cpp", "not theirs");
  hand_in("d.cpp");
  const auto zip = make_zip({{"work/exercise.cpp", "answer", false}});
  hand_in("e.zip", *zip);
  hand_in("f/exercise-2.cpp");
  const std::vector<Submission> all = find();
  ASSERT_EQ(all.size(), 6U);
  for (const Submission& one : all) {
    EXPECT_TRUE(one.found) << one.id;
    EXPECT_EQ(one.answer, "answer") << one.id;
    EXPECT_EQ(one.notes, one.id == "d" ? Notes{"taken: d.cpp"} : Notes{}) << one.id;
  }
  EXPECT_EQ(all[4].id, "e");
}

TEST_F(SubmissionTest, TakesAFileOfAnotherNameOnlyWhereItIsTheOnlyOne) {
  hand_in("a/ticks.cpp");
  hand_in("a/test.cpp");
  Submission one = find_one();
  EXPECT_TRUE(one.found);
  EXPECT_EQ(one.notes[0], "taken: ticks.cpp");
  hand_in("a/more.cpp", "something else");
  one = find_one();
  EXPECT_FALSE(one.found);
  EXPECT_EQ(one.notes[0], "none of several files was taken: more.cpp, ticks.cpp");
}

TEST_F(SubmissionTest, SaysWhichOfSeveralWasTakenAndTakesNoneOfEquals) {
  hand_in("a/exercise.cpp", "upper");
  hand_in("a/old/exercise.cpp", "lower");
  EXPECT_EQ(find_one().answer, "upper");
  EXPECT_EQ(find_one().notes, Notes{"taken: exercise.cpp, and not old/exercise.cpp"});
  hand_in("a/new/exercise.cpp", "other");
  fs::remove(scratch_ / "class/a/exercise.cpp");
  EXPECT_FALSE(find_one().found);
  EXPECT_EQ(find_one().notes,
            Notes{"none of several files was taken: new/exercise.cpp, "
                  "old/exercise.cpp"});
  hand_in("a/new/exercise.cpp", "lower");  // twice the same text
  EXPECT_EQ(find_one().answer, "lower");
}

TEST_F(SubmissionTest, AnotherExerciseOrASolutionIsNoAnswer) {
  hand_in("a/exercises/02_timeline/exercise.cpp");
  hand_in("a/solutions/01_ticks/exercise.cpp");
  hand_in("a/exercises/01_ticks/mistakes/late.cpp");
  const Submission one = find_one();
  EXPECT_FALSE(one.found);
  EXPECT_EQ(one.notes, Notes{"there is no exercise.cpp in it"});
}

TEST_F(SubmissionTest, EditedFilesOfOursAreNotedAndNotUsed) {
  hand_in("a/exercises/01_ticks/exercise.cpp");
  hand_in("a/exercises/01_ticks/exercise.hpp", "contract");
  hand_in("a/exercises/01_ticks/test.cpp", "easier tests");
  hand_in("a/exercises/02_timeline/test.cpp", "not looked at");
  hand_in("a/common/classroom/points.hpp", "more points");
  hand_in("a/common/own.hpp", "no file of ours");
  EXPECT_EQ(find_one().notes,
            Notes{"not as we gave it out, so ours was used: "
                  "common/classroom/points.hpp, exercises/01_ticks/test.cpp"});
}

TEST_F(SubmissionTest, EditedFilesBesideAPlainAnswerAreNotedToo) {
  hand_in("a/exercise.cpp");
  hand_in("a/exercise.hpp", "another contract");
  hand_in("a/test.cpp", "tests");
  EXPECT_EQ(find_one().notes, Notes{"not as we gave it out, so ours was used: "
                                    "exercises/01_ticks/exercise.hpp"});
}

TEST_F(SubmissionTest, ReadsTheNamesThatCanvasGives) {
  hand_in("doejane_12345_67890_exercise.cpp");
  hand_in("roejohn_LATE_222_67891_exercise-1.cpp");
  hand_in("roejohn_LATE_222_67892_test.cpp", "tests");
  const std::vector<HandedIn> students = read().students;
  ASSERT_EQ(students.size(), 2U);
  EXPECT_EQ(students[0].id, "12345");
  EXPECT_EQ(students[0].name, "doejane");
  EXPECT_FALSE(students[0].marked_late);
  EXPECT_EQ(students[1].id, "222");
  EXPECT_EQ(students[1].name, "roejohn");
  EXPECT_TRUE(students[1].marked_late);
  const std::vector<Submission> all = find();
  EXPECT_EQ(all[0].notes, Notes{});
  EXPECT_EQ(all[1].notes, Notes{"the platform marked it late"});
  EXPECT_EQ(all[1].answer, "answer");
}

TEST_F(SubmissionTest, ReadsTheNamesThatMoodleGives) {
  hand_in("Student Seven_777_assignsubmission_file_/exercise.cpp");
  hand_in("Student Eight_888_assignsubmission_file_exercise.cpp");
  const std::vector<Submission> all = find();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].id, "777");
  EXPECT_EQ(all[0].name, "Student Seven");
  EXPECT_EQ(all[1].id, "888");
  EXPECT_EQ(all[1].name, "Student Eight");
  for (const Submission& one : all) EXPECT_EQ(one.notes, Notes{}) << one.id;
}

constexpr const char* kMetadata = R"(---
submission_101:
  :submitters:
  - :name: Student Seven
    :sid: '0007'
    :email: student-07@example.edu
  - :name: Student Eight
    :sid: ''
    :email: student-08@example.edu
  :created_at: 2023-01-01 12:34:56.789000000 Z
submission_102:
  :submitters:
  - :name: Student Nine
    :sid: '0009'
  :created_at: 2023-01-02 12:34:56 Z
../checkout:
  :submitters:
  - :name: Student Ten
    :sid: '0010'
)";

TEST_F(SubmissionTest, ReadsWhatGradescopeExports) {
  for (const std::string top : {"", "assignment_1_export/"}) {
    fs::remove_all(scratch_ / "class");
    hand_in(top + "submission_metadata.yml", kMetadata);
    hand_in(top + "submission_101/exercise.cpp");
    hand_in(top + "submission_999/exercise.cpp");
    const HandedInFolder folder = read();
    ASSERT_EQ(folder.students.size(), 4U);
    EXPECT_EQ(folder.students[0].id, "0007");
    EXPECT_EQ(folder.students[0].name, "Student Seven");
    EXPECT_EQ(folder.students[0].when, 1672576496);
    EXPECT_EQ(folder.students[3].id, "student-08@example.edu");
    EXPECT_EQ(folder.notes, Notes{"submission_999 is not in submission_metadata.yml: "
                                  "left out"});
    const std::vector<Submission> all = find();
    EXPECT_TRUE(all[0].found && all[3].found);
    EXPECT_FALSE(all[1].found);
    EXPECT_EQ(all[1].notes[0], "Gradescope lists it, but its files are not here");
    // A name in that file cannot lead out of the folder.
    EXPECT_FALSE(all[2].found);
  }
}

TEST_F(SubmissionTest, WhatIsHostileStandsAsItsStudentsSubmission) {
  fs::create_symlink("/etc", scratch_ / "class/student-01");
  fs::create_symlink("/dev/zero", scratch_ / "class/student-02.cpp");
  hand_in("student-03/exercise.cpp");
  hand_in("README.txt", "none of the students'");
  const std::vector<Submission> all = find();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_FALSE(all[0].found);
  EXPECT_EQ(all[0].notes[0], "student-01 is a symbolic link: not opened");
  EXPECT_FALSE(all[1].found);
  EXPECT_TRUE(all[2].found);
  EXPECT_EQ(read().notes, Notes{"README.txt is no folder, zip or C++ file: left out"});
}

TEST_F(SubmissionTest, IdsAreUniqueAndFitToBeShown) {
  hand_in("\x1b[31mred/exercise.cpp");
  hand_in("[U+001B][31mred/exercise.cpp");
  const std::vector<HandedIn> students = read().students;
  ASSERT_EQ(students.size(), 2U);
  EXPECT_NE(students[0].id, students[1].id);
  for (const HandedIn& student : students)
    EXPECT_EQ(student.id.find('\x1b'), std::string::npos);
}

TEST_F(SubmissionTest, GuessesTheExerciseThatAllOfThemMean) {
  hand_in("a/exercises/01_ticks/exercise.cpp");
  hand_in("a/exercises/02_timeline/exercise.cpp");
  hand_in("b.cpp", "// The task is in exercises/01_ticks/README.md.\n");
  hand_in("c.cpp", "says nothing");
  const auto exercise = guess();
  ASSERT_TRUE(exercise.has_value()) << exercise.error().what;
  EXPECT_EQ(exercise->number, "01");
}

/// What the board of a level hands out says it too, whatever name it is saved under.
TEST_F(SubmissionTest, GuessesTheExerciseOfWhatWasBuiltByHand) {
  put("checkout/exercises/13h_by_hand/exercise.cpp", "starter");
  put("checkout/exercises/13_one_f_one_b/exercise.cpp", "starter");
  const BoardLevel& level = *find_level(9);
  const Board board(rules_of(level));
  hand_in("a.cpp", pipeline::hand_in(level, board));
  const auto exercise = guess();
  ASSERT_TRUE(exercise.has_value()) << exercise.error().what;
  EXPECT_EQ(exercise->number, "13h");
}

TEST_F(SubmissionTest, RefusesToGuessBetweenSeveralOrFromNothing) {
  hand_in("c.cpp", "says nothing");
  EXPECT_EQ(guess().error().what, "no submission says for which exercise it is");
  hand_in("a/exercises/01_ticks/exercise.cpp");
  hand_in("a/exercises/02_timeline/exercise.cpp");
  EXPECT_EQ(guess().error().what, "the submissions hold several exercises");
  hand_in("b/01_ticks/exercise.cpp");
  hand_in("d/02_timeline/exercise.cpp");
  EXPECT_EQ(guess().error().what, "the submissions are for several exercises");
}

TEST_F(SubmissionTest, RefusesACheckoutAndWhatIsNoFolder) {
  put("checkout/CMakePresets.json", "{}");
  EXPECT_TRUE(read_submissions(scratch_ / "checkout")
                  .error()
                  .what.ends_with("is a checkout of the workbook"));
  EXPECT_FALSE(read_submissions(scratch_ / "nowhere").has_value());
}

}  // namespace
}  // namespace pipeline

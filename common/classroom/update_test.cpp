#include "classroom/update.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "classroom/files.hpp"
#include "classroom/merge.hpp"
#include "classroom/process.hpp"
#include "classroom/progress.hpp"
#include "classroom/scratch_folder.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

/// Starters of two releases: the second has a new first line.
const std::string kOld = "// one\n\nint f() {\n  return 0;\n}\n\n// last\n";
const std::string kNew = "// first\n\nint f() {\n  return 0;\n}\n\n// last\n";
const std::string kMine = "// one\n\nint f() {\n  return 6;\n}\n\n// last\n";
const std::string kBoth = "// first\n\nint f() {\n  return 6;\n}\n\n// last\n";

/// Programs are looked for in one folder alone, as long as this lives.
class PathIs {
 public:
  explicit PathIs(const fs::path& folder) {
    if (const char* const before = std::getenv("PATH")) before_ = before;
    setenv("PATH", folder.c_str(), 1);
  }
  ~PathIs() { setenv("PATH", before_.c_str(), 1); }
  PathIs(const PathIs&) = delete;
  PathIs& operator=(const PathIs&) = delete;

 private:
  std::string before_;
};

/// A workbook with one exercise, which the student has checked once.
class UpdateOf : public testing::Test {
 protected:
  UpdateOf() {
    fs::create_directories(at_.root / "exercises" / "01_ticks");
    fs::create_directories(at_.root / "solutions" / "01_ticks");
    release(kOld);
    answer(kOld);
    EXPECT_TRUE(remember_starters(at_));
  }
  void release(const std::string& starter) {
    ASSERT_TRUE(write_file(solution_path(at_, exercise_),
                           starter + "// <solution>\n// </solution>\n"));
  }
  void answer(const std::string& text) {
    ASSERT_TRUE(write_file(answer_path(at_, exercise_), text));
  }
  void check(bool solved = false) {
    ASSERT_TRUE(remember_attempt(at_, exercise_, answer(), solved));
  }
  std::string answer() const {
    const auto text = read_file(answer_path(at_, exercise_));
    return text ? *text : "gone";
  }
  Update update() const { return update_exercise(at_, exercise_); }
  std::vector<std::string> backups() const {
    std::vector<std::string> texts;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(at_.state() / "backup", error)) {
      texts.push_back(*read_file(entry.path()));
    }
    return texts;
  }

  ScratchFolder folder_;
  Workspace at_ = {folder_.path(), folder_ / "build"};
  Unit exercise_ = {"01", "ticks"};
};

TEST_F(UpdateOf, WhatNoReleaseChangedDoesNothing) {
  EXPECT_FALSE(update_is_due(at_));
  EXPECT_EQ(update().kind, Update::Kind::Current);
  answer(kMine);
  check();
  EXPECT_EQ(update().kind, Update::Kind::Current);
  EXPECT_EQ(answer(), kMine);
  EXPECT_TRUE(backups().empty());
}

TEST_F(UpdateOf, WhatWasNotBegunIsTheNewStarter) {
  release(kNew);
  EXPECT_TRUE(update_is_due(at_));
  EXPECT_EQ(update().kind, Update::Kind::Fresh);
  EXPECT_EQ(answer(), kNew);
  EXPECT_EQ(update().kind, Update::Kind::Current);
}

TEST_F(UpdateOf, MergesTheNewStarterIntoWhatWasWritten) {
  answer(kMine);
  check(true);
  release(kNew);
  const Update done = update();
  EXPECT_EQ(done.kind, Update::Kind::Merged);
  EXPECT_EQ(answer(), kBoth);
  EXPECT_EQ(read_file(at_.root / done.kept), kMine);
  EXPECT_EQ(update().kind, Update::Kind::Current);
  EXPECT_TRUE(has_passed(at_, exercise_));
}

TEST_F(UpdateOf, BringsBackWhatTheReleaseWasUnpackedOver) {
  answer(kMine);
  check();
  release(kNew);
  answer(kNew);                         // as tar does it
  ASSERT_TRUE(remember_starters(at_));  // some other command came first
  EXPECT_TRUE(update_is_due(at_));
  const Update done = update();
  EXPECT_EQ(done.kind, Update::Kind::Merged);
  EXPECT_TRUE(done.restored);
  EXPECT_EQ(answer(), kBoth);
}

TEST_F(UpdateOf, KeepsWhatWasTriedBeforeAndWhatWasBegunAnewOnTheNewStarter) {
  answer(kMine);
  check();
  release(kNew);
  const std::string anew = kNew + "// begun anew\n";
  answer(anew);
  check();
  EXPECT_EQ(update().kind, Update::Kind::Merged);
  EXPECT_EQ(answer(), anew);
  std::vector<std::string> kept = backups();
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(kept, (std::vector<std::string>{anew, kMine}));
}

TEST_F(UpdateOf, TakesWhatGitHasMergedAlready) {
  answer(kMine);
  check();
  release(kNew);
  answer(kBoth);
  EXPECT_EQ(update().kind, Update::Kind::Merged);
  EXPECT_EQ(answer(), kBoth);
}

TEST_F(UpdateOf, MarksWhereBothChangedTheSameLine) {
  answer("// mine\n" + kMine.substr(kMine.find('\n') + 1));
  check();
  release(kNew);
  const Update done = update();
  EXPECT_EQ(done.kind, Update::Kind::Conflicts);
  EXPECT_EQ(done.lines, std::vector<std::size_t>{1});
  EXPECT_EQ(answer().find("<<<<<<< yours\n// mine\n"
                          "=======\n// first\n>>>>>>> new starter\n"),
            0U)
      << answer();
  EXPECT_NE(answer().find("return 6;"), std::string::npos);
  EXPECT_EQ(update().kind, Update::Kind::Current);  // not once more
}

TEST_F(UpdateOf, LeavesAFileWithMarksAlone) {
  const std::string marked = "<<<<<<< HEAD\n" + kMine;
  answer(marked);
  release(kNew);
  const Update done = update();
  EXPECT_EQ(done.kind, Update::Kind::Unsettled);
  EXPECT_EQ(done.lines, std::vector<std::size_t>{1});
  EXPECT_EQ(answer(), marked);
}

TEST_F(UpdateOf, IsTakenUpWhereItWasEndedBetweenItsSteps) {
  const std::string mine = "// mine\n" + kMine.substr(kMine.find('\n') + 1);
  answer(mine);
  check();
  release(kNew);
  ASSERT_EQ(update().kind, Update::Kind::Conflicts);
  const std::string marked = answer();
  // As it was when the file had just been replaced.
  ASSERT_TRUE(keep_file(begun_from_path(at_, exercise_), kOld));
  ASSERT_TRUE(keep_file(tried_path(at_, exercise_), mine));
  ASSERT_TRUE(keep_file(at_.state() / "update" / "01_ticks.cpp", marked));
  EXPECT_EQ(update().kind, Update::Kind::Conflicts);
  EXPECT_EQ(answer(), marked);
  EXPECT_EQ(update().kind, Update::Kind::Current);
  // And when it had not been yet.
  answer(mine);
  ASSERT_TRUE(keep_file(begun_from_path(at_, exercise_), kOld));
  ASSERT_TRUE(keep_file(at_.state() / "update" / "01_ticks.cpp", marked));
  EXPECT_EQ(update().kind, Update::Kind::Conflicts);
  EXPECT_EQ(answer(), marked);
}

TEST_F(UpdateOf, WithoutAProgramToMergePutsTheNewStarterBeside) {
  answer(kMine);
  check();
  release(kNew);
  const Update done = [&] {
    const PathIs nothing(folder_.path());
    return update();
  }();
  EXPECT_EQ(done.kind, Update::Kind::Beside);
  EXPECT_EQ(answer(), kMine);
  EXPECT_EQ(read_file(at_.root / done.kept), kNew);
  EXPECT_EQ(update().kind, Update::Kind::Merged);  // now that there is one
}

TEST_F(UpdateOf, AFileThatIsGoneSaysSo) {
  fs::remove(answer_path(at_, exercise_));
  const Update done = update();
  EXPECT_EQ(done.kind, Update::Kind::Failed);
  EXPECT_EQ(done.error.what, "exercises/01_ticks/exercise.cpp is gone");
}

TEST_F(UpdateOf, ThatCannotKeepTheStudentsTextLeavesIt) {
  answer(kMine);
  check();
  release(kNew);
  ASSERT_TRUE(write_file(at_.state() / "backup", "a file in the folder's place"));
  EXPECT_EQ(update().kind, Update::Kind::Failed);
  EXPECT_EQ(answer(), kMine);
}

TEST_F(UpdateOf, FollowsAReset) {
  answer(kMine);
  check();
  ASSERT_TRUE(reset_exercise(at_, exercise_));
  release(kNew);
  answer(kNew);
  EXPECT_FALSE(update_is_due(at_));  // nothing is brought back
}

TEST(Merge, TakesBothSidesWithDiff3WhereThereIsNoGit) {
  const ScratchFolder folder;
  if (!fs::exists("/usr/bin/diff3")) GTEST_SKIP() << "there is no diff3 here";
  fs::create_symlink("/usr/bin/diff3", folder / "diff3");
  fs::create_symlink("/usr/bin/diff", folder / "diff");
  const PathIs without_git(folder.path());
  const auto clean = merge({kOld, kMine, kNew}, folder.path());
  const auto disputed = merge({"a\n", "b\n", "c\n"}, folder.path());
  ASSERT_TRUE(clean && disputed);
  EXPECT_EQ(clean->text, kBoth);
  EXPECT_TRUE(clean->conflicts.empty());
  EXPECT_EQ(disputed->conflicts, std::vector<std::size_t>{1});
  EXPECT_EQ(disputed->text, "<<<<<<< yours\nb\n=======\nc\n>>>>>>> new starter\n");
}

TEST(Merge, MarksConflictsAlikeWhateverStyleOfThemIsSet) {
  const ScratchFolder folder;
  if (run_process({"git", "--version"}).exit_code != 0) GTEST_SKIP() << "no git here";
  ASSERT_TRUE(write_file(folder / "config", "[merge]\n\tconflictStyle = diff3\n"));
  setenv("GIT_CONFIG_GLOBAL", (folder / "config").c_str(), 1);
  const auto disputed = merge({"a\n", "b\n", "c\n"}, folder.path());
  unsetenv("GIT_CONFIG_GLOBAL");
  ASSERT_TRUE(disputed);
  EXPECT_EQ(disputed->text, "<<<<<<< yours\nb\n=======\nc\n>>>>>>> new starter\n");
}

}  // namespace
}  // namespace pipeline

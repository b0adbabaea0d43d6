#include "grading/gradescope.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "classroom/files.hpp"
#include "classroom/json.hpp"
#include "classroom/process.hpp"
#include "classroom/scratch_folder.hpp"
#include "classroom/starter.hpp"
#include "grading/archive.hpp"
#include "schedule/full_tier.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

const Workspace kHere = {WORKBOOK_ROOT, WORKBOOK_BUILD};
const Unit kTicks = {"01", "ticks"};

/// What `unzip` does, which is not everywhere: Python's own leaves out who may run
/// what.
constexpr const char* kUnpack = R"(
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    for member in archive.infolist():
        path = archive.extract(member, sys.argv[2])
        if member.external_attr >> 16:
            os.chmod(path, member.external_attr >> 16 & 0o777)
)";

/// Laid out as Gradescope lays it out: source/, submission/, results/ and, beside them,
/// run_autograder.
class GradescopeTest : public testing::Test {
 protected:
  GradescopeTest() {
    fs::create_directories(scratch_ / "hidden/01_ticks");
    put("hidden/01_ticks/more.cpp", "// hidden\n");
    for (const char* folder : {"submission", "results"})
      fs::create_directories(scratch_ / folder);
  }
  void put(const std::string& path, std::string_view text) {
    fs::create_directories((scratch_ / path).parent_path());
    ASSERT_TRUE(write_file(scratch_ / path, text).has_value());
  }
  std::string get(const std::string& path) {
    return read_file(scratch_ / path).value_or("");
  }

  /// Unpacks it by a program that is not ours.
  void unpack(const std::string& zip) {
    put("autograder.zip", zip);
    const std::string from = (scratch_ / "autograder.zip").string();
    const std::string to = (scratch_ / "source").string();
    const ProcessResult python = run_process({"python3", "-c", kUnpack, from, to});
    ASSERT_EQ(python.exit_code, 0) << python.output;
    fs::copy(scratch_ / "source/run_autograder", scratch_ / "run_autograder");
  }
  ProcessResult run(const std::string& script) {
    return run_process({"bash", (scratch_ / script).string()});
  }
  std::string make(const fs::path& hidden = {}) {
    const auto zip = make_autograder(kHere, kTicks, hidden, "secret");
    EXPECT_TRUE(zip.has_value()) << zip.error().what;
    return zip.value_or("");
  }

  ScratchFolder scratch_;
};

TEST_F(GradescopeTest, TheSameSourcesGiveTheSameArchive) {
  const std::string one = make(scratch_ / "hidden");
  EXPECT_EQ(make(scratch_ / "hidden"), one);
  EXPECT_NE(make(), one);
}

TEST_F(GradescopeTest, HoldsTheWorkbookWithOneExercise) {
  unpack(make(scratch_ / "hidden"));
  const fs::path source = scratch_ / "source";
  for (const char* script : {"setup.sh", "run_autograder", "workbook"}) {
    EXPECT_EQ(access((source / script).c_str(), X_OK), 0) << script;
    EXPECT_EQ(run_process({"bash", "-n", (source / script).string()}).exit_code, 0);
  }
  EXPECT_EQ(get("source/seed"), "secret\n");
  EXPECT_EQ(get("source/hidden/01_ticks/more.cpp"), "// hidden\n");
  const std::string solution = get("source/solutions/01_ticks/exercise.cpp");
  EXPECT_EQ(get("source/exercises/01_ticks/exercise.cpp"), derive_starter(solution));
  EXPECT_EQ(get("source/exercises/01_ticks/test.cpp"),
            read_file(kHere.root / "exercises/01_ticks/test.cpp"));
  EXPECT_TRUE(fs::exists(source / "common/grading/gradescope.cpp"));
  EXPECT_FALSE(fs::exists(source / "exercises/02_timeline"));
  EXPECT_FALSE(fs::exists(source / "build"));
  EXPECT_FALSE(fs::exists(source / ".git"));
}

TEST_F(GradescopeTest, RefusesHiddenTestsThatAreNotThere) {
  EXPECT_FALSE(make_autograder(kHere, kTicks, scratch_ / "nowhere", "s").has_value());
}

/// Stands for the workbook: writes down what it was asked, and a result.
constexpr const char* kStandIn = R"sh(
here=$(dirname "$0")
printf '%s\n' "$@" >"$here/asked"
while [ $# -gt 0 ]; do
  case $1 in grade) in=$2 ;; --out) out=$2 ;; esac
  shift
done
(cd "$in" && find . -type f -o -type l | sort) >"$here/handed"
stat -c '%a %n' "$out/seed" | sed "s:$out/::" >"$here/mode"
[ -e "$here/fails" ] && exit 1
mkdir -p "$out/gradescope"
echo '{"score": 7}' >"$out/gradescope/submission.json"
)sh";

TEST_F(GradescopeTest,
       RunAutograderGradesWhatWasHandedInAndPutsTheResultWhereItBelongs) {
  unpack(make(scratch_ / "hidden"));
  put("source/workbook", kStandIn);
  put("submission/exercise.cpp", "answer");
  fs::create_symlink("/etc/passwd", scratch_ / "submission/link.cpp");
  const ProcessResult result = run("run_autograder");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(get("results/results.json"), "{\"score\": 7}\n");
  EXPECT_EQ(get("source/handed"), "./submission/exercise.cpp\n./submission/link.cpp\n");
  EXPECT_EQ(get("source/mode"), "600 seed\n");
  const std::string asked = get("source/asked");
  for (const char* part :
       {"--exercise\n01\n", "--tier\nown-user\n", "--hidden\n", "--yes\n"}) {
    EXPECT_NE(asked.find(part), std::string::npos) << part;
  }
  // Whoever can list processes reads command lines.
  EXPECT_EQ(asked.find("secret"), std::string::npos);
  EXPECT_EQ(fs::status(scratch_ / "source").permissions(), fs::perms::owner_all);
}

TEST_F(GradescopeTest, WhereTheGraderFailsThereIsNoResultAndAnError) {
  unpack(make());
  put("source/workbook", kStandIn);
  put("source/fails", "");
  put("submission/exercise.cpp", "answer");
  EXPECT_NE(run("run_autograder").exit_code, 0);
  EXPECT_FALSE(fs::exists(scratch_ / "results/results.json"));
}

TEST_F(GradescopeTest, WhatItHoldsOfTheWorkbookIsEnoughForCMake) {
  unpack(make());
  const std::string source = (scratch_ / "source").string();
  const ProcessResult configured =
      run_process({"cmake", "-E", "chdir", source, "cmake", "--preset", "host"});
  EXPECT_EQ(configured.exit_code, 0) << configured.output;
}

TEST_F(GradescopeTest, TheWholeOfItWorksAsItWouldInTheContainer) {
  if (!in_full_tier())
    GTEST_SKIP() << "builds the workbook once more: with WORKBOOK_FULL=1";
  if (geteuid() != 0) GTEST_SKIP() << "the tier own-user is for root";
  unpack(make());
  const ProcessResult set_up = run("source/setup.sh");
  ASSERT_EQ(set_up.exit_code, 0) << set_up.output;
  put("submission/exercise.cpp", get("source/solutions/01_ticks/exercise.cpp"));
  ProcessResult result = run("run_autograder");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const Json solved = parse_json(get("results/results.json"));
  ASSERT_TRUE(solved.is_object());
  EXPECT_GT(solved["score"], 0);
  put("submission/exercise.cpp", get("source/exercises/01_ticks/exercise.cpp"));
  result = run("run_autograder");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(parse_json(get("results/results.json"))["score"], 0);
}

}  // namespace
}  // namespace pipeline

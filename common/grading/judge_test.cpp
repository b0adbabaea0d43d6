#include "grading/judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/files.hpp"
#include "classroom/process.hpp"
#include "classroom/starter.hpp"
#include "grading/answer.hpp"
#include "grading/temporary_folder.hpp"
#include "grading/tier_here.hpp"

namespace pipeline {
namespace {
namespace fs = std::filesystem;

const fs::path kRoot = WORKBOOK_ROOT;

/// A build folder in which the kits of exercises 01 and 10 are built already, so that
/// making one neither builds nor configures the folder that this test comes from.
class BuiltFolder {
 public:
  BuiltFolder() {
    const fs::path real = fs::path(WORKBOOK_BUILD) / "exercises";
    fs::create_directories(build() / "exercises");
    for (const char* name : {"ex01_grade", "ex10_grade", "01_ticks", "10_gpipe"})
      fs::create_symlink(real / name, build() / "exercises" / name);
    // To be told apart from what the students' tests are.
    EXPECT_TRUE(write_file(build() / "exercises" / "sol01",
                           "#!/bin/sh\necho TickCount.\n"
                           "echo '  IsSixForThreeDevicesAndFourMicroBatches'\n"));
    fs::permissions(build() / "exercises" / "sol01", fs::perms(0755));
    EXPECT_TRUE(
        write_file(folder_ / "CMakeLists.txt",
                   "cmake_minimum_required(VERSION 3.24)\nproject(built NONE)\n"
                   "foreach(target ex01_grade ex01_kit ex10_grade ex10_kit sol01)\n"
                   "  add_custom_target(${target})\nendforeach()\n"));
    const ProcessResult configured =
        run_process({"cmake", "-S", folder_.path().string(), "-B", build().string()});
    EXPECT_EQ(configured.exit_code, 0) << configured.output;
  }

  Workspace workspace() const { return {kRoot, build()}; }
  fs::path build() const { return folder_ / "build"; }

 private:
  TemporaryFolder folder_;
};

std::string solution_of(const std::string& folder) {
  return read_file(kRoot / "solutions" / folder / "exercise.cpp").value_or("");
}

/// `text` with `from`, which must be there, replaced.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// Puts answers to exercise 01 in the sandbox that is best here.
class JudgeTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto tier = tier_here();
    if (!tier) {
      why_not() = tier.error().what;
      return;
    }
    built() = std::make_unique<BuiltFolder>();
    const auto made = make_kit(here(), {"01", "ticks"}, "", *tier);
    ASSERT_TRUE(made) << made.error().what;
    kit() = *made;
  }
  static void TearDownTestSuite() {
    kit() = Kit();
    built().reset();
  }
  void SetUp() override {
    if (!why_not().empty()) GTEST_SKIP() << why_not();
    ASSERT_FALSE(kit().list.empty());
  }

  static Kit& kit() {
    static Kit kit;
    return kit;
  }
  static std::unique_ptr<BuiltFolder>& built() {
    static std::unique_ptr<BuiltFolder> built;
    return built;
  }
  static Workspace here() { return built()->workspace(); }
  static std::string& why_not() {
    static std::string why;
    return why;
  }

  static Verdict judged(const std::string& answer, const Kit& by = kit()) {
    JudgeOptions options;
    options.patience = 20;  // nothing here is about time
    return judge(by, answer, options);
  }
  /// An answer whose running_at does this, and whose other functions are right.
  static std::string running_does(const std::string& statements) {
    const std::string first = "const std::int32_t micro_batch = ";
    return with(solution_of("01_ticks"), first, statements + "\n  " + first);
  }
  /// The tests of running_at.
  static std::vector<std::string> running_tests() {
    std::vector<std::string> names;
    for (const TestInfo& test : kit().list) {
      if (test.name.starts_with("RunningAt.")) names.push_back(test.name);
    }
    return names;
  }
  /// The verdict on the first of them.
  static TestVerdict first_running(const Verdict& verdict) {
    for (const TestVerdict& test : verdict.tests) {
      if (test.test.name.starts_with("RunningAt.")) return test;
    }
    return {};
  }
  static std::vector<std::string> failures(const Verdict& verdict) {
    std::vector<std::string> names;
    for (const TestVerdict& test : verdict.tests) {
      if (!test.passed) names.push_back(test.test.name);
    }
    return names;
  }
};

TEST_F(JudgeTest, GivesTheSolutionAllPoints) {
  const Verdict verdict = judged(solution_of("01_ticks"));
  EXPECT_EQ(verdict.status, Status::Ok);
  EXPECT_EQ(failures(verdict), std::vector<std::string>());
  EXPECT_EQ(verdict.points(), verdict.of());
  EXPECT_GT(verdict.of(), 0);
  EXPECT_EQ(verdict.tier, "bubblewrap");
  EXPECT_GT(verdict.cpu_seconds, 0);
}

TEST_F(JudgeTest, GivesTheStarterNone) {
  const Verdict verdict = judged(derive_starter(solution_of("01_ticks")).value_or(""));
  EXPECT_EQ(verdict.status, Status::Ok);
  EXPECT_EQ(verdict.points(), 0);
  EXPECT_EQ(failures(verdict).size(), kit().list.size());
}

TEST_F(JudgeTest, TakesOffExactlyWhatAWrongFunctionCosts) {
  const Verdict verdict = judged(running_does("return 0 * device;"));
  EXPECT_EQ(verdict.status, Status::Ok);
  EXPECT_EQ(failures(verdict), running_tests());
  EXPECT_EQ(verdict.points(), verdict.of() - 4);
  EXPECT_NE(first_running(verdict).message.find("must run micro-batch"),
            std::string::npos)
      << first_running(verdict).message;
}

TEST_F(JudgeTest, ShowsCompilerErrorsShortAndWithoutOurPaths) {
  const Verdict verdict = judged(running_does("return devicez;"));
  EXPECT_EQ(verdict.status, Status::Compile);
  EXPECT_EQ(verdict.points(), 0);
  EXPECT_EQ(verdict.tests.size(), kit().list.size());
  EXPECT_NE(verdict.compiler_errors.find("error: 'devicez'"), std::string::npos)
      << verdict.compiler_errors;
  EXPECT_EQ(verdict.compiler_errors.find("/box"), std::string::npos)
      << verdict.compiler_errors;
}

TEST_F(JudgeTest, CallsAnEndlessLoopATimeoutOfItsOwnTestsAlone) {
  Kit few = kit();  // each takes 2 s
  std::erase_if(few.list, [first = running_tests().front()](const TestInfo& test) {
    return test.name.starts_with("RunningAt.") && test.name != first;
  });
  const Verdict verdict =
      judged(running_does("for (volatile int i = 0;; i = i + 1) {}"), few);
  EXPECT_EQ(verdict.status, Status::Timeout);
  EXPECT_EQ(failures(verdict), std::vector{running_tests().front()});
  EXPECT_EQ(first_running(verdict).ended, Status::Timeout);
}

TEST_F(JudgeTest, CallsASegmentationFaultACrash) {
  const Verdict verdict = judged(running_does("__builtin_trap();"));
  EXPECT_EQ(verdict.status, Status::Crash);
  EXPECT_EQ(failures(verdict), running_tests());
  EXPECT_EQ(first_running(verdict).ended, Status::Crash);
  EXPECT_NE(first_running(verdict).message.find("the answer ended within running_at"),
            std::string::npos)
      << first_running(verdict).message;
}

TEST_F(JudgeTest, CallsALeavingOfTheProgramACrash) {
  const Verdict verdict =
      judged("#include <cstdlib>\n" + running_does("std::exit(0);"));
  EXPECT_EQ(verdict.status, Status::Crash);
  EXPECT_EQ(failures(verdict), running_tests());
}

TEST_F(JudgeTest, NamesWantOfMemory) {
  const std::string large = "std::vector<char>(std::size_t{60} << 30).back()";
  const Verdict thrown =
      judged("#include <vector>\n" + running_does("return " + large + ";"));
  EXPECT_EQ(thrown.status, Status::Memory);
  EXPECT_EQ(failures(thrown), running_tests());
  const Verdict global = judged("#include <vector>\nconst char kLarge = " + large +
                                ";\n" + solution_of("01_ticks"));
  EXPECT_EQ(global.status, Status::Memory);
  EXPECT_EQ(global.points(), 0);
  const Verdict array = judged("char large[1 << 30];\n" + solution_of("01_ticks"));
  EXPECT_EQ(array.status, Status::Memory) << first_running(array).message;
  EXPECT_EQ(array.points(), 0);
}

TEST_F(JudgeTest, PassesOnWhatAFunctionThrows) {
  const Verdict verdict = judged("#include <stdexcept>\n" +
                                 running_does("throw std::runtime_error(\"why\");"));
  EXPECT_EQ(verdict.status, Status::Ok);
  EXPECT_EQ(failures(verdict), running_tests());
  EXPECT_NE(first_running(verdict).message.find("running_at threw: why"),
            std::string::npos);
}

TEST_F(JudgeTest, EndsADiagnosticsBomb) {
  const Verdict verdict = judged("#include \"exercise.hpp\"\n#include __FILE__\n");
  EXPECT_EQ(verdict.status, Status::Compile);
  EXPECT_LE(
      std::count(verdict.compiler_errors.begin(), verdict.compiler_errors.end(), '\n'),
      31);
}

TEST_F(JudgeTest, ShowsNeitherTestsNorSolutionsToTheCompiler) {
  for (const std::string file :
       {WORKBOOK_ROOT "/solutions/01_ticks/exercise.cpp", "test.cpp",
        WORKBOOK_ROOT "/exercises/01_ticks/test.cpp", "grading/serve.hpp",
        "schedule/gpipe.hpp", "/etc/passwd"}) {
    const Verdict verdict = judged("#include \"" + file + "\"\n");
    EXPECT_EQ(verdict.status, Status::Compile) << file;
    EXPECT_NE(verdict.compiler_errors.find("No such file"), std::string::npos)
        << verdict.compiler_errors;
  }
}

TEST_F(JudgeTest, ListsEachTestWithItsPoints) {
  const TestInfo first = {"TickCount.IsSixForThreeDevicesAndFourMicroBatches", 1, "",
                          /*hidden=*/false, /*drawn=*/false};
  ASSERT_GE(kit().list.size(), 6U);
  EXPECT_EQ(kit().list[0], first);
  EXPECT_EQ(kit().list[1].points, 2);
}

TEST_F(JudgeTest, TellsHiddenTestsFromThoseThatStudentsHave) {
  const TemporaryFolder hidden;
  const auto kit = make_kit(here(), {"01", "ticks"}, hidden.path(), Tier::Bubblewrap);
  ASSERT_TRUE(kit) << kit.error().what;
  ASSERT_EQ(kit->list.size(), JudgeTest::kit().list.size());
  for (const TestInfo& test : kit->list) {
    EXPECT_EQ(test.hidden,
              test.name != "TickCount.IsSixForThreeDevicesAndFourMicroBatches");
  }
  const std::string cache = built()->build() / "CMakeCache.txt";
  EXPECT_NE(read_file(cache)->find("=" + hidden.path().string() + "\n"),
            std::string::npos);
  // And the next kit is built without them.
  ASSERT_TRUE(make_kit(here(), {"01", "ticks"}, "", Tier::Bubblewrap));
  EXPECT_EQ(read_file(cache)->find("WORKBOOK_HIDDEN"), std::string::npos);
}

TEST_F(JudgeTest, RefusesToShowSolutionsToAnotherUser) {
  if (!choose_tier("own-user")) GTEST_SKIP() << "only root can change its user";
  const TemporaryFolder open;
  fs::permissions(open.path(), fs::perms(0755));
  const auto kit =
      make_kit({open.path(), open.path()}, {"01", "ticks"}, "", Tier::OwnUser);
  ASSERT_FALSE(kit);
  EXPECT_EQ(kit.error().remedy,
            "Close it to them: chmod o-rwx " + open.path().string());
}

TEST_F(JudgeTest, NamesTheKitByAllThatMayChangeAVerdict) {
  const auto again = make_kit(here(), kit().exercise, "", Tier::Bubblewrap);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(again->hash, kit().hash);
  EXPECT_EQ(kit().hash.size(), 64U);
  const auto other = make_kit(here(), {"10", "gpipe"}, "", Tier::Bubblewrap);
  ASSERT_TRUE(other) << other.error().what;
  EXPECT_NE(other->hash, kit().hash);
}

TEST_F(JudgeTest, RefusesAnExerciseThatIsNotThere) {
  const auto kit = make_kit(here(), {"99", "nothing"}, "", Tier::Bubblewrap);
  ASSERT_FALSE(kit);
  EXPECT_NE(kit.error().what.find("99_nothing"), std::string::npos);
}

TEST_F(JudgeTest, RefusesHiddenTestsThatAreNotThere) {
  const auto kit = make_kit(here(), {"01", "ticks"}, "/no/such", Tier::Bubblewrap);
  ASSERT_FALSE(kit);
  EXPECT_EQ(kit.error().what, "there is no folder /no/such");
}

TEST_F(JudgeTest, BlamesTheMachineOnlyWhereTheCpuWasIdle) {
  Verdict verdict;
  verdict.status = Status::Timeout;
  verdict.wall_seconds = 10;
  verdict.cpu_seconds = 1;
  EXPECT_TRUE(deserves_another_try(verdict));
  verdict.cpu_seconds = 9;
  EXPECT_FALSE(deserves_another_try(verdict));
  verdict.cpu_seconds = 1;
  verdict.status = Status::Crash;
  EXPECT_FALSE(deserves_another_try(verdict));
}

TEST(ShortErrors, KeepTheFirstThirtyLines) {
  std::string output;
  for (int i = 0; i < 100; ++i)
    output += "/box/exercise.cpp:" + std::to_string(i) + ": error: no\n";
  const std::string errors = short_errors(output);
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 30);
  EXPECT_TRUE(errors.starts_with("exercise.cpp:0: error: no\n"));
}

TEST(ShortErrors, HoldNoBytesThatAreNoText) {
  EXPECT_EQ(short_errors("a\xff\xc3(\xe2\x82\xac\n"),
            "a?"
            "?(\xe2\x82\xac\n");
}

TEST(ShortErrors, NameNoObjectOfTheLinkerWhoseNameIsAnotherInEachRun) {
  EXPECT_EQ(short_errors("/usr/bin/ld: /tmp/ccOprQRx.o: in function `_start':\n"),
            "/usr/bin/ld: exercise.o: in function `_start':\n");
  EXPECT_EQ(short_errors("see /tmp/ccache for more\n"), "see /tmp/ccache for more\n");
}

}  // namespace
}  // namespace pipeline

// `workbook watch` and its neighbours as a student meets them, in a terminal, on a
// workbook of three small exercises whose compiler is a script.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/process.hpp"
#include "classroom/progress.hpp"
#include "classroom/pty_session.hpp"
#include "classroom/scratch_folder.hpp"
#include "schedule/full_tier.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;
using test::PtySession;

/// In the place of cmake: `cmake --build BUILD -j N --target exNN`. What the answer
/// holds decides what comes of it.
constexpr const char* kCompiler = R"(#!/bin/sh
number=${6#ex}
answer=$(cat "$2"/../exercises/"$number"_*/exercise.cpp)
program=$2/exercises/$6
case $answer in
*slow*) echo building; sleep 1000 ;;
*syntax*)
  echo "exercises/${number}_x/exercise.cpp:3:1: error: expected ';'"
  echo "exercises/${number}_x/exercise.cpp:4:1: error: and more"
  exit 1 ;;
esac
case $answer in
*right*) failure= ;;
*) failure=', "failures": [{"failure": "test.cpp:1\nExpected 6, got 0."}]' ;;
esac
case $answer in *loop*) loop='echo "[ RUN      ] Ticks.End"; sleep 1000' ;; esac
cat >"$program" <<END
#!/bin/sh
$loop
cat >\${GTEST_OUTPUT#json:} <<'JSON'
{"testsuites": [{"name": "Ticks", "testsuite": [
  {"name": "Begin", "status": "RUN", "points": "1"},
  {"name": "End", "status": "RUN", "points": "2"$failure}]}]}
JSON
END
chmod +x "$program"
)";

class InATerminal : public testing::Test {
 protected:
  InATerminal() {
    for (const Unit& exercise : {kFirst, kSecond, kTests}) {
      const fs::path folder = at_.root / "exercises" / exercise.folder();
      fs::create_directories(folder);
      fs::create_directories(solution_path(at_, exercise).parent_path());
      put(solution_path(at_, exercise), "begin\n// <solution>\nend\n// </solution>\n");
      put(answer_path(at_, exercise), "begin\n");
      put(folder / "README.md", "## Hints\n\n- Draw it.\n- Count it.\n");
    }
    fs::create_directories(at_.build / "exercises");
    fs::create_directories(folder_ / "bin");
    put(folder_ / "bin" / "cmake", kCompiler);
    fs::permissions(folder_ / "bin" / "cmake", fs::perms::owner_all);
  }

  static void put(const fs::path& path, const std::string& text) {
    ASSERT_TRUE(write_file(path, text));
  }
  /// As an editor saves: in place.
  void save(const Unit& exercise, const std::string& text) {
    std::ofstream(answer_path(at_, exercise)) << text;
  }
  std::string answer(const Unit& exercise) const {
    return *read_file(answer_path(at_, exercise));
  }

  /// What the command does in the terminal. `more`: of the environment.
  std::function<int()> workbook(
      std::vector<std::string> arguments,
      std::vector<std::pair<std::string, std::string>> more = {}) const {
    return [this, arguments = std::move(arguments), more = std::move(more)] {
      const std::string path = (folder_ / "bin").string() + ":" + std::getenv("PATH");
      setenv("PATH", path.c_str(), 1);
      setenv("TERM", "xterm-256color", 1);
      unsetenv("NO_COLOR");
      for (const auto& [name, value] : more) setenv(name.c_str(), value.c_str(), 1);
      catch_interrupts();
      return run_command_line(at_, arguments);
    };
  }

  /// Nothing of what is kept is half written.
  void expect_whole_files(const Unit& exercise, const std::string& text) {
    EXPECT_EQ(answer(exercise), text);
    EXPECT_EQ(damage_in_words(at_), "");
    for (const auto& entry : fs::recursive_directory_iterator(at_.root)) {
      EXPECT_EQ(entry.path().string().find(".part"), std::string::npos);
    }
  }

  const Unit kFirst = {"01", "ticks"};
  const Unit kSecond = {"02", "timeline"};
  const Unit kTests = {"10t", "gpipe_tests"};
  ScratchFolder folder_;
  Workspace at_ = {folder_.path(), folder_ / "build"};
};

TEST_F(InATerminal, WatchLeadsFromAFailureOverHintsToTheNextExercise) {
  {
    PtySession session(workbook({"watch"}), 80);
    EXPECT_TRUE(session.shows("Exercise 01 ticks")) << session.output();
    EXPECT_TRUE(session.shows("Expected 6, got 0.")) << session.output();
    EXPECT_TRUE(session.shows("1 of 2 tests pass, 1 of 3 points.")) << session.screen();
    EXPECT_TRUE(session.shows("0 of 3 solved")) << session.screen();
    session.press("h");
    EXPECT_TRUE(session.shows("Hint 1 of 2")) << session.output();
    EXPECT_TRUE(session.shows("h hint (1 left)")) << session.output();
    session.press("h");
    EXPECT_TRUE(session.shows("Count it.")) << session.output();
    put(folder_ / "saved", "right\n");  // as an editor saves: by renaming
    fs::rename(folder_ / "saved", answer_path(at_, kFirst));
    EXPECT_TRUE(session.shows("1 of 3 solved")) << session.output();
    EXPECT_TRUE(session.shows("Go on with 02 timeline: press n")) << session.output();
    session.press("n");
    EXPECT_TRUE(session.shows("Exercise 02 timeline")) << session.output();
    EXPECT_TRUE(session.shows("Expected 6")) << session.output();
    session.press("q");
    EXPECT_EQ(session.ends(), kGood);
    EXPECT_NE(session.output().find("You stopped at exercise 02 timeline."),
              std::string::npos);
    EXPECT_NE(session.output().find("[ended, terminal as before]"), std::string::npos)
        << session.output();
  }
  EXPECT_EQ(hints_shown(at_, kFirst), 2U);
  EXPECT_EQ(exercise_state(at_, kFirst), ExerciseState::Solved);
  PtySession again(workbook({"watch"}), 80);
  EXPECT_TRUE(again.shows("Exercise 02 timeline")) << again.output();
}

TEST_F(InATerminal, WatchGoesWhereAnotherExerciseIsSavedOrChosen) {
  PtySession session(workbook({"watch", "02"}), 80);
  EXPECT_TRUE(session.shows("Exercise 02 timeline")) << session.output();
  EXPECT_TRUE(session.shows("Expected 6")) << session.output();
  save(kTests, "right\n");
  EXPECT_TRUE(session.shows("Exercise 10t gpipe tests")) << session.output();
  EXPECT_TRUE(session.shows("Solved!")) << session.output();
  session.press("l");
  EXPECT_TRUE(session.shows(">  10t gpipe tests")) << session.output();
  session.press("\033[A");
  EXPECT_TRUE(session.shows(">  02 timeline")) << session.output();
  session.press("k\r");
  EXPECT_TRUE(session.shows("Exercise 01 ticks")) << session.output();
  session.press("q");
  EXPECT_EQ(session.ends(), kGood);
}

TEST_F(InATerminal, WatchShowsCompileErrorsShort) {
  save(kFirst, "syntax\n");
  PtySession session(workbook({"watch"}), 80);
  EXPECT_TRUE(session.shows("Your file does not compile yet.")) << session.output();
  EXPECT_TRUE(session.shows("exercise.cpp, line 3")) << session.output();
  EXPECT_TRUE(session.shows("1 more error follows")) << session.output();
  EXPECT_EQ(session.screen().find("and more"), std::string::npos);
}

TEST_F(InATerminal, WatchStopsJudgingWhatIsSavedOnceMore) {
  save(kFirst, "loop\n");
  PtySession session(workbook({"watch"}), 80);
  EXPECT_TRUE(session.shows("Checking your answer")) << session.output();
  EXPECT_TRUE(session.shows("running the tests")) << session.output();
  session.press("h");  // keys work meanwhile
  EXPECT_TRUE(session.shows("Hint 1 of 2")) << session.output();
  save(kFirst, "right\n");
  EXPECT_TRUE(session.shows("Solved!")) << session.output();
}

TEST_F(InATerminal, WatchSaysThatTheFileIsGoneAndTakesItBack) {
  PtySession session(workbook({"watch"}), 80);
  EXPECT_TRUE(session.shows("Expected 6")) << session.output();
  fs::remove(answer_path(at_, kFirst));
  EXPECT_TRUE(session.shows("exercise.cpp is gone")) << session.output();
  EXPECT_TRUE(session.shows("./workbook reset 01")) << session.output();
  save(kFirst, "right\n");
  EXPECT_TRUE(session.shows("Solved!")) << session.output();
}

TEST_F(InATerminal, CtrlCAndSigtermEndWatchAtAnyMomentAndLeaveAllSane) {
  struct Moment {
    const char* answer;
    const char* shows;
  };
  for (const Moment& moment : {Moment{"idle\n", "Expected 6"},
                               {"slow\n", "Checking your answer"},
                               {"loop\n", "running the tests"}}) {
    save(kFirst, moment.answer);
    PtySession session(workbook({"watch", "01"}), 80);
    EXPECT_TRUE(session.shows(moment.shows)) << session.output();
    session.press("\x03");
    EXPECT_EQ(session.ends(), kInterrupted) << moment.answer << session.output();
    EXPECT_NE(session.output().find("[ended, terminal as before]"), std::string::npos)
        << session.output();
    expect_whole_files(kFirst, moment.answer);
  }
  save(kFirst, "idle\n");
  auto command = workbook({"watch", "01"});
  PtySession session(
      [command] {
        print("pid " + std::to_string(getpid()) + ".\n");
        return command();
      },
      80);
  ASSERT_TRUE(session.shows("Expected 6")) << session.output();
  const std::size_t pid = session.output().find("pid ");
  ASSERT_NE(pid, std::string::npos) << session.output();
  kill(static_cast<pid_t>(std::stoi(session.output().substr(pid + 4))), SIGTERM);
  EXPECT_EQ(session.ends(), kInterrupted);
  EXPECT_NE(session.output().find("[ended, terminal as before]"), std::string::npos);
}

TEST_F(InATerminal, CtrlCAfterAnyPartOfTheOutputLeavesAllSane) {
  save(kFirst, "mine\n");
  const std::size_t step = !in_full_tier() ? 50 : 5;
  for (std::size_t bytes = 1; bytes < 400; bytes += step) {
    PtySession session(workbook({"watch", "01"}), 80);
    EXPECT_TRUE(session.wrote(bytes)) << session.output();
    session.press("\x03");
    EXPECT_EQ(session.ends(), kInterrupted) << session.output();
    EXPECT_NE(session.output().find("[ended, terminal as before]"), std::string::npos)
        << bytes << session.output();
    expect_whole_files(kFirst, "mine\n");
  }
}

TEST_F(InATerminal, WatchMayBeStoppedAndContinued) {
  PtySession session(workbook({"watch"}), 80);
  EXPECT_TRUE(session.shows("quit\r\n")) << session.output();  // the screen's end
  session.forget();
  session.press("\x1a");
  EXPECT_TRUE(session.shows("h hint (2 left)")) << session.output();
  EXPECT_NE(session.output().find("[stopped, terminal as before]"), std::string::npos)
      << session.output();
  session.press("h");  // keys come one by one again
  EXPECT_TRUE(session.shows("Hint 1 of 2")) << session.output();
  session.press("q");
  EXPECT_EQ(session.ends(), kGood);
}

TEST_F(InATerminal, WatchFollowsTheWidthOfItsWindow) {
  PtySession session(workbook({"watch"}, {{"NO_COLOR", "1"}}), 80);
  EXPECT_TRUE(session.shows("Expected 6")) << session.output();
  session.resize(30);
  EXPECT_TRUE(session.shows("Exercise 01 ticks\r\n0 of 3 solved\r\n"))
      << session.output();
  EXPECT_TRUE(session.shows("quit\r\n")) << session.output();
  std::size_t column = 0;
  for (const char c : session.screen().substr(session.screen().find("Exercise"))) {
    column = c == '\n' || c == '\r' ? 0 : column + 1;
    ASSERT_LE(column, 30U) << session.screen();
  }
}

TEST_F(InATerminal, ColourIsThereOnlyWhereItIsWanted) {
  const auto shown = [this](std::vector<std::pair<std::string, std::string>> more) {
    PtySession session(workbook({"watch"}, std::move(more)), 80);
    EXPECT_TRUE(session.shows("Expected 6")) << session.output();
    session.press("q");
    EXPECT_EQ(session.ends(), kGood);
    return session.output();
  };
  EXPECT_NE(shown({}).find("\033[1mExercise"), std::string::npos);
  const std::string plain = shown({{"NO_COLOR", "1"}});
  EXPECT_EQ(plain.find("\033[1m"), std::string::npos);
  EXPECT_NE(plain.find("\033[2J"), std::string::npos);
  EXPECT_EQ(shown({{"TERM", "dumb"}}).find('\033'), std::string::npos);
}

TEST_F(InATerminal, OnceJudgesOnceAndEnds) {
  PtySession failing(workbook({"watch", "--once"}), 80);
  EXPECT_EQ(failing.ends(), kFailed);
  EXPECT_NE(failing.output().find("Expected 6, got 0."), std::string::npos);
  EXPECT_EQ(failing.output().find("h hint"), std::string::npos);
  save(kFirst, "right\n");
  PtySession passing(workbook({"watch", "--once"}), 80);
  EXPECT_EQ(passing.ends(), kGood);
  EXPECT_NE(passing.output().find("Go on with 02 timeline: ./workbook watch"),
            std::string::npos)
      << passing.output();
}

TEST_F(InATerminal, CheckRemembersAndNamesOneThingToMend) {
  PtySession failing(workbook({"check"}, {{"NO_COLOR", "1"}}), 80);
  EXPECT_EQ(failing.ends(), kFailed);
  EXPECT_NE(failing.output().find("  pass  1 point   ticks begin\r\n"
                                  "  FAIL  2 points  ticks end\r\n"
                                  "\r\n"
                                  "First to mend: ticks end\r\n"
                                  "    Expected 6, got 0.\r\n"
                                  "\r\n"
                                  "1 of 3 points. Stuck? ./workbook hint 01\r\n"),
            std::string::npos)
      << failing.output();
  save(kFirst, "right\n");
  PtySession passing(workbook({"check"}), 80);
  EXPECT_EQ(passing.ends(), kGood);
  PtySession next(workbook({"check"}), 80);
  EXPECT_TRUE(next.shows("Exercise 02 timeline")) << next.output();
  EXPECT_EQ(next.ends(), kFailed);
}

TEST_F(InATerminal, TheSolutionIsShownOnceAnAnswerPassedOrWhenAskedAllTheSame) {
  PtySession early(workbook({"solution", "01"}), 80);
  EXPECT_EQ(early.ends(), kBadUsage);
  EXPECT_NE(early.output().find("2 of its 2 hints are left"), std::string::npos);
  EXPECT_NE(early.output().find("./workbook solution 01 --spoil"), std::string::npos);
  EXPECT_EQ(PtySession(workbook({"solution", "01", "--spoil"}), 80).ends(), kGood);
  save(kFirst, "right\n");
  EXPECT_EQ(PtySession(workbook({"check", "01"}), 80).ends(), kGood);
  PtySession late(workbook({"solution", "01"}), 80);
  EXPECT_EQ(late.ends(), kGood);
  EXPECT_NE(late.output().find("begin\r\nend\r\n"), std::string::npos);
}

TEST_F(InATerminal, StatusLeadsThroughTheTourUntilSomethingWasBegun) {
  PtySession first(workbook({}), 80);
  EXPECT_EQ(first.ends(), kGood);
  EXPECT_NE(first.output().find("A tour of two minutes"), std::string::npos);
  EXPECT_EQ(PtySession(workbook({"hint", "10t"}), 80).ends(), kGood);
  PtySession later(workbook({}), 80);
  EXPECT_EQ(later.ends(), kGood);
  EXPECT_EQ(later.output().find("A tour of two minutes"), std::string::npos);
  EXPECT_NE(later.output().find("0 of 3 exercises solved"), std::string::npos);
}

TEST_F(InATerminal, AReleaseIsAnnouncedAndTakenIn) {
  save(kFirst, "begin\nmine\n");
  EXPECT_EQ(PtySession(workbook({"check", "01"}), 80).ends(), kFailed);
  put(solution_path(at_, kFirst),
      "// new\nbegin\n// <solution>\nend\n// </solution>\n");
  PtySession status(workbook({}, {{"NO_COLOR", "1"}}), 80);
  EXPECT_EQ(status.ends(), kGood);
  EXPECT_NE(status.output().find("There is a new release of the workbook"),
            std::string::npos);
  PtySession update(workbook({"update"}), 80);
  EXPECT_EQ(update.ends(), kGood);
  EXPECT_NE(update.output().find("01 ticks\r\n    the new starter's changes are in"),
            std::string::npos)
      << update.output();
  EXPECT_EQ(answer(kFirst), "// new\nbegin\nmine\n");
  PtySession again(workbook({"update"}), 80);
  EXPECT_EQ(again.ends(), kGood);
  EXPECT_NE(again.output().find("up to date"), std::string::npos);
}

struct BadState {
  std::vector<std::string> arguments;
  const char* says;
};

TEST_F(InATerminal, BadStatesAreSaidInOneClearLine) {
  fs::remove(answer_path(at_, kFirst));
  fs::remove(answer_path(at_, kSecond));
  fs::create_directory(answer_path(at_, kSecond));
  for (const BadState& bad :
       {BadState{{"check", "01"}, "exercises/01_ticks/exercise.cpp is gone"},
        {{"check", "02"}, "exercise.cpp is not a file, but a folder"},
        {{"reset", "02"}, "exercise.cpp is not a file, but a folder"},
        {{"watch", "99"}, "there is no exercise '99'"},
        {{"watch", "01", "02"}, "02"},
        {{"check", "01", "02"}, "02"},
        {{"hint", "01", "--spoil"}, "--spoil"},
        {{"update", "01"}, "01"}}) {
    PtySession session(workbook(bad.arguments, {{"TERM", "dumb"}}), 80);
    EXPECT_EQ(session.ends(), kBadUsage) << bad.arguments[0];
    EXPECT_NE(session.output().find(bad.says), std::string::npos) << session.output();
  }
}

TEST_F(InATerminal, ProgressThatCannotBeKeptIsSaidAfterTheResult) {
  put(at_.state(), "a file where the folder should be\n");
  save(kFirst, "right\n");
  PtySession session(workbook({"check", "01"}), 80);
  EXPECT_EQ(session.ends(), kBadUsage);
  EXPECT_NE(session.output().find("Solved!"), std::string::npos) << session.output();
  EXPECT_NE(session.output().find("cannot make"), std::string::npos);
}

}  // namespace
}  // namespace pipeline

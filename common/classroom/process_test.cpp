#include "classroom/process.hpp"

#include <gtest/gtest.h>

namespace pipeline {
namespace {

TEST(Process, GivesOutputAndExitCode) {
  const auto result = run_process({"sh", "-c", "echo out; echo err >&2; exit 7"});
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.output, "out\nerr\n");
  EXPECT_FALSE(result.timed_out);
}

TEST(Process, PassesArgumentsAsTheyAre) {
  EXPECT_EQ(run_process({"printf", "%s|", "a b", "$HOME", "*"}).output, "a b|$HOME|*|");
}

TEST(Process, SetsVariablesAndKeepsTheOthers) {
  ProcessOptions options;
  options.environment = {{"WORKBOOK_A", "1"}, {"HOME", "/nowhere"}};
  const auto result =
      run_process({"sh", "-c", "echo $WORKBOOK_A $HOME; test -n \"$PATH\""}, options);
  EXPECT_EQ(result.output, "1 /nowhere\n");
  EXPECT_EQ(result.exit_code, 0);
}

TEST(Process, IsKilledAtItsTimeoutWithItsChildren) {
  ProcessOptions options;
  options.timeout_seconds = 0.2;
  const auto result =
      run_process({"sh", "-c", "echo begun; sleep 600 & wait"}, options);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, 128 + 9);
  EXPECT_EQ(result.output, "begun\n");
}

TEST(Process, IsNotWaitedForThroughAGrandchildThatLivesOn) {
  ProcessOptions options;
  options.timeout_seconds = 60;
  const auto result = run_process({"sh", "-c", "sleep 600 & echo $!; exit 3"}, options);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.timed_out);
  run_process({"kill", result.output.substr(0, result.output.find('\n'))});
}

TEST(Process, ThatIsNotThereGives127) {
  EXPECT_EQ(run_process({"no-such-program-here"}).exit_code, 127);
}

TEST(Process, DiesOfASignalAsAShellTellsIt) {
  EXPECT_EQ(run_process({"sh", "-c", "kill -SEGV $$"}).exit_code, 128 + 11);
}

TEST(Process, HandsOverALotOfOutput) {
  const auto result = run_process({"sh", "-c", "head -c 3000000 /dev/zero"});
  EXPECT_EQ(result.output.size(), 3'000'000U);
}

}  // namespace
}  // namespace pipeline

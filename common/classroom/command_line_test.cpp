// The built command as its users meet it: exit codes, and one clear line for each bad
// input.
#include <gtest/gtest.h>

#include "classroom/gpus.hpp"
#include "classroom/json.hpp"
#include "classroom/process.hpp"
#include "classroom/scratch_folder.hpp"
#include "classroom/workbook_test_support.hpp"

namespace pipeline {
namespace {

using test::BadInput;
using test::workbook;

class Refuses : public testing::TestWithParam<BadInput> {};
TEST_P(Refuses, WithExitCode2AndTwoLines) { test::expect_refusal(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Command, Refuses,
    testing::Values(BadInput{{"tset"}, "there is no command 'tset'"},
                    BadInput{{"run", "99"}, "there is no chapter '99'"},
                    BadInput{{"run", "x"}, "there is no chapter 'x'"},
                    BadInput{{"run", "all", "-p", "4"},
                             "makes no sense for all chapters"},
                    BadInput{{"record"}, "required"},
                    BadInput{{"record", "99"}, "there is no chapter '99'"},
                    BadInput{{"check", "99"}, "there is no exercise '99'"},
                    BadInput{{"hint", "0"}, "there is no exercise '0'"},
                    BadInput{{"hint"}, "required"},
                    BadInput{{"reset", ".."}, "there is no exercise '..'"},
                    BadInput{{"solution", "-1"}, "there is no exercise '-1'"},
                    BadInput{{"watch"}, "watch needs a terminal"},
                    BadInput{{"watch", "zz"}, "there is no exercise 'zz'"},
                    BadInput{{"test", "--fulll"}, "--fulll"}));

TEST(CommandLine, HelpsEverywhereWithinEightyColumns) {
  for (const char* command : {"", "run", "record", "test", "bench", "docs", "check",
                              "watch", "solution", "schedule", "gpu-check"}) {
    test::expect_help(command);
  }
}

TEST(CommandLine, KnowsEveryExercise) {
  const auto result = workbook({"status", "--json"});
  EXPECT_EQ(result.exit_code, 0);
  const Json json = parse_json(result.output);
  ASSERT_TRUE(json.is_object()) << result.output;
  EXPECT_EQ(json["of"], json["exercises"].size());
  EXPECT_GE(json["exercises"].size(), 7U);
}

TEST(CommandLine, SaysThatThereIsNoGpu) {
  if (count_gpus() > 0) {
    GTEST_SKIP() << "there is a GPU here";
  }
  EXPECT_EQ(workbook({"gpu-check"}).exit_code, 3);
}

TEST(CommandLine, EndsWith130WhenInterrupted) {
  const ScratchFolder folder;
  // The command waits for what comes out of a pipe; opening its other end waits until
  // the command has opened its own.
  const std::string script =
      "mkfifo pipe && { \"$0\" schedule --file pipe & } && exec 3>pipe && "
      "kill -INT $! && exec 3>&- && wait $!; echo code $?";
  ProcessOptions options;
  options.timeout_seconds = 60;
  const auto result = run_process(
      {"sh", "-c", "cd \"$1\" && " + script, WORKBOOK_PROGRAM, folder.path().string()},
      options);
  EXPECT_NE(result.output.find("code 130"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace pipeline

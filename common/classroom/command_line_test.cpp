// The built command as its users meet it: exit codes, and one clear line for each bad
// input.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "classroom/files.hpp"
#include "classroom/json.hpp"
#include "classroom/process.hpp"
#include "classroom/scratch_folder.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

ProcessResult workbook(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), WORKBOOK_PROGRAM);
  ProcessOptions options;
  options.timeout_seconds = 60;
  options.environment = {{"LC_ALL", "C.UTF-8"}};
  return run_process(arguments, options);
}

struct BadInput {
  std::vector<std::string> arguments;
  std::string says;
};

void PrintTo(const BadInput& input, std::ostream* out) {
  for (const std::string& argument : input.arguments) *out << argument << ' ';
}

class Refuses : public testing::TestWithParam<BadInput> {};

TEST_P(Refuses, WithExitCode2AndTwoLines) {
  const auto result = workbook(GetParam().arguments);
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_NE(result.output.find(GetParam().says), std::string::npos) << result.output;
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 2)
      << result.output;
}

INSTANTIATE_TEST_SUITE_P(
    Command, Refuses,
    testing::Values(BadInput{{"tset"}, "there is no command 'tset'"},
                    BadInput{{"run", "99"}, "there is no chapter '99'"},
                    BadInput{{"run", "x"}, "there is no chapter 'x'"},
                    BadInput{{"run", "all", "-p", "4"},
                             "makes no sense for all chapters"},
                    BadInput{{"check", "99"}, "there is no exercise '99'"},
                    BadInput{{"hint", "0"}, "there is no exercise '0'"},
                    BadInput{{"hint"}, "required"},
                    BadInput{{"reset", ".."}, "there is no exercise '..'"},
                    BadInput{{"solution", "-1"}, "there is no exercise '-1'"},
                    BadInput{{"test", "--fulll"}, "--fulll"}));

INSTANTIATE_TEST_SUITE_P(
    Schedule, Refuses,
    testing::Values(
        BadInput{{"schedule"}, "no schedule was named"},
        BadInput{{"schedule", "2f2b"}, "2f2b"},
        BadInput{{"schedule", "1f1b", "--file", "x"}, "both a name and --file"},
        BadInput{{"schedule", "1f1b", "-p", "0"}, "--devices '0' is less than 1"},
        BadInput{{"schedule", "1f1b", "-p", "-4"}, "--devices '-4' is less than 1"},
        BadInput{{"schedule", "1f1b", "-p", "four"}, "'four' is not a whole number"},
        BadInput{{"schedule", "1f1b", "-p", "4.5"}, "'4.5' is not a whole number"},
        BadInput{{"schedule", "1f1b", "-p", "1000000"}, "'1000000' is out of range"},
        BadInput{{"schedule", "1f1b", "--devices=99999999999999999999"},
                 "out of range"},
        BadInput{{"schedule", "1f1b", "-m", "0"}, "--micro-batches '0' is less than 1"},
        BadInput{{"schedule", "1f1b", "-m", "-1"}, "'-1' is less than 1"},
        BadInput{{"schedule", "1f1b", "-m", "many"}, "'many' is not a whole number"},
        BadInput{{"schedule", "1f1b", "-p", "60000", "-m", "60000"}, "60000"},
        BadInput{{"schedule", "1f1b", "--steps", "0"}, "--steps '0' is less than 1"},
        BadInput{{"schedule", "1f1b", "--costs", "F=x"},
                 "--costs F 'x' is not a number"},
        BadInput{{"schedule", "1f1b", "--costs", "F=-1"}, "'-1' is not a number of at"},
        BadInput{{"schedule", "1f1b", "--costs", "Q=1"}, "does not know 'Q=1'"},
        BadInput{{"schedule", "1f1b", "--costs", "F"}, "does not know 'F'"},
        BadInput{{"schedule", "1f1b", "--memory-limit", "x"}, "--memory-limit 'x'"},
        BadInput{{"schedule", "1f1b", "--memory-limit", "1,2"},
                 "2 limits for 4 devices"},
        BadInput{{"schedule", "1f1b", "--buffers", "-1"}, "--buffers '-1'"},
        BadInput{{"schedule", "1f1b", "--format", "png"}, "png"},
        BadInput{{"schedule", "1f1b", "-o", "/no/such/folder/x"}, "/no/such/folder/x"},
        BadInput{{"schedule", "1f1b", "-o", "/"}, "cannot write /"},
        BadInput{{"schedule", "--file", "/no/such/file"}, "cannot read /no/such/file"},
        BadInput{{"schedule", "--file", "/"}, "/ is a folder"}));

TEST(CommandLine, HelpsEverywhereWithinEightyColumns) {
  for (const char* command : {"", "run", "test", "check", "schedule", "gpu-check"}) {
    std::vector<std::string> arguments;
    if (*command != '\0') arguments.emplace_back(command);
    arguments.emplace_back("--help");
    const auto result = workbook(arguments);
    EXPECT_EQ(result.exit_code, 0) << command;
    EXPECT_NE(result.output.find("Usage"), std::string::npos) << command;
    std::size_t longest = 0;
    for (std::size_t at = 0; at < result.output.size();) {
      const std::size_t end =
          std::min(result.output.find('\n', at), result.output.size());
      longest = std::max(longest, end - at);
      at = end + 1;
    }
    EXPECT_LE(longest, 82U) << result.output;  // bytes; `…` has three
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
  if (run_process({"nvidia-smi", "-L"}).exit_code == 0) {
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

TEST(ScheduleCommand, GivesTheFiguresOf1F1BAsJson) {
  const Json json = parse_json(
      workbook({"schedule", "1f1b", "-p", "4", "-m", "8", "--format", "json"}).output);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["schedule"], "1f1b");
  EXPECT_EQ(json["devices"], 4);
  EXPECT_EQ(json["stages"], 4);
  EXPECT_EQ(json["micro_batches"], 8);
  EXPECT_EQ(json["makespan"], 33);
  EXPECT_EQ(json["ideal"], 24);
  EXPECT_EQ(json["longest_span"], 33);
  EXPECT_DOUBLE_EQ(json["idle_fraction"], 3.0 / 11);
  EXPECT_DOUBLE_EQ(json["idle_overhead"], 3.0 / 8);
  EXPECT_DOUBLE_EQ(json["span_bubble"], 3.0 / 11);
  EXPECT_EQ(json["internal_idle"], Json({9, 6, 3, 0}));
  EXPECT_EQ(json["peak_chunks"], Json({4, 3, 2, 1}));
  EXPECT_EQ(json["peak"], Json({4, 3, 2, 1}));
  EXPECT_EQ(json["faults"], Json::array());
  EXPECT_FALSE(json.contains("rows"));
}

TEST(ScheduleCommand, GivesStartAndEndOfEachActionWithRows) {
  const Json json = parse_json(workbook({"schedule", "forward", "-p", "3", "-m", "4",
                                         "--format", "json", "--rows"})
                                   .output);
  ASSERT_EQ(json["rows"].size(), 3U);
  const Json& last = json["rows"][2].back();
  EXPECT_EQ(last["kind"], "forward");
  EXPECT_EQ(last["stage"], 2);
  EXPECT_EQ(last["micro_batch"], 3);
  EXPECT_EQ(last["start"], 5);
  EXPECT_EQ(last["end"], 6);
}

TEST(ScheduleCommand, TakesTheCostsIntoAccount) {
  const Json json = parse_json(workbook({"schedule", "gpipe", "-p", "2", "-m", "3",
                                         "--costs", "F=2,I=3,W=1", "--format", "json"})
                                   .output);
  EXPECT_EQ(json["makespan"], (3 + 2 - 1) * (2 + 3 + 1));
}

TEST(ScheduleCommand, ReadsBackTheRowsThatItPrinted) {
  const ScratchFolder folder;
  const std::string rows = (folder / "rows").string();
  ASSERT_EQ(workbook({"schedule", "1f1b", "--rows", "-o", rows}).exit_code, 0);
  const auto direct = workbook({"schedule", "1f1b", "--format", "csv"});
  const auto read = workbook({"schedule", "--file", rows, "--format", "csv"});
  EXPECT_EQ(read.exit_code, 0) << read.output;
  EXPECT_EQ(read.output, direct.output);
}

TEST(ScheduleCommand, RefusesEveryTruncationOfAFile) {
  const ScratchFolder folder;
  const std::string rows =
      workbook({"schedule", "1f1b", "-p", "2", "-m", "2", "--rows"}).output;
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, rows.size() / 3, rows.size() / 2}) {
    ASSERT_TRUE(write_file(folder / "cut", rows.substr(0, length)));
    const auto result = workbook({"schedule", "--file", (folder / "cut").string()});
    EXPECT_TRUE(result.exit_code == 2 || result.exit_code == 1)
        << length << " " << result.output;
  }
  ASSERT_TRUE(write_file(folder / "noise", std::string("\x00\xff\x1b[2J{\n", 8)));
  EXPECT_EQ(workbook({"schedule", "--file", (folder / "noise").string()}).exit_code, 2);
}

TEST(ScheduleCommand, ExitsWith1WhenVerifyFindsFaults) {
  const auto result = workbook(
      {"schedule", "gpipe", "-p", "4", "-m", "8", "--memory-limit", "4", "--verify"});
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_NE(result.output.find("fault"), std::string::npos);
  EXPECT_EQ(workbook({"schedule", "1f1b", "-p", "4", "-m", "8", "--memory-limit", "4",
                      "--buffers", "0", "--verify"})
                .exit_code,
            0);
}

TEST(ScheduleCommand, WritesNothingWhenItRefuses) {
  const ScratchFolder folder;
  const std::string file = (folder / "out.svg").string();
  EXPECT_EQ(workbook({"schedule", "1f1b", "-p", "0", "-o", file}).exit_code, 2);
  EXPECT_FALSE(fs::exists(file));
  ASSERT_TRUE(write_file(file, "precious"));
  EXPECT_EQ(workbook({"schedule", "1f1b", "-p", "0", "-o", file}).exit_code, 2);
  EXPECT_EQ(read_file(file), "precious");
}

TEST(ScheduleCommand, WritesEveryFormatToAFile) {
  const ScratchFolder folder;
  for (const auto& [format, begins] :
       {std::pair{"svg", "<svg"}, {"csv", "device,"}, {"trace", "{"}, {"json", "{"}}) {
    const fs::path file = folder / format;
    ASSERT_EQ(workbook({"schedule", "1f1b", "--format", format, "-o", file.string()})
                  .exit_code,
              0);
    const auto text = read_file(file);
    ASSERT_TRUE(text);
    EXPECT_TRUE(text->starts_with(begins)) << text->substr(0, 80);
  }
}

}  // namespace
}  // namespace pipeline

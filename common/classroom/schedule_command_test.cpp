// `workbook schedule` as its users meet it.
#include <gtest/gtest.h>

#include <filesystem>

#include "classroom/files.hpp"
#include "classroom/json.hpp"
#include "classroom/scratch_folder.hpp"
#include "classroom/workbook_test_support.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

using test::BadInput;
using test::workbook;

class ScheduleRefuses : public testing::TestWithParam<BadInput> {};
TEST_P(ScheduleRefuses, WithExitCode2AndTwoLines) { test::expect_refusal(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Options, ScheduleRefuses,
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
        BadInput{{"schedule", "1f1b", "--costs", "U=-0.5"}, "--costs U '-0.5'"},
        BadInput{{"schedule", "1f1b", "--costs", "c=1e999"}, "--costs c '1e999'"},
        BadInput{{"schedule", "1f1b", "--costs-file", "/no/such"},
                 "cannot read /no/such"},
        BadInput{{"schedule", "1f1b", "-v", "2"}, "1f1b has no chunks to choose"},
        BadInput{{"schedule", "interleaved", "-v", "0"}, "--chunks '0' is less than 1"},
        BadInput{{"schedule", "interleaved", "-v", "two"}, "--chunks 'two'"},
        BadInput{{"schedule", "interleaved", "-v", "99999999"}, "out of range"},
        BadInput{{"schedule", "interleaved", "--group-size", "-1"},
                 "--group-size '-1' is less than 1"},
        BadInput{{"schedule", "gpipe", "--group-size", "2"}, "has no group size"},
        BadInput{{"schedule", "gpipe", "--slices", "2"}, "gpipe has no slices"},
        BadInput{{"schedule", "token-slices", "--slices", "0"}, "--slices '0'"},
        BadInput{{"schedule", "token-slices", "--slices", "1,x"}, "--slices 'x'"},
        BadInput{{"schedule", "token-slices", "-m", "3", "--slices", "1,2"}, "2"},
        BadInput{{"schedule", "1f1b", "--bandwidth", "-1"}, "--bandwidth '-1'"},
        BadInput{{"schedule", "1f1b", "--message-bytes", "big"},
                 "--message-bytes 'big'"},
        BadInput{{"schedule", "1f1b", "--devices-per-node", "0"},
                 "--devices-per-node '0'"},
        BadInput{{"schedule", "1f1b", "--node-latency", "1"},
                 "links between nodes were given, but no nodes"},
        BadInput{{"schedule", "1f1b", "--memory-limit", "4,"}, "--memory-limit ''"},
        BadInput{{"schedule", "1f1b", "--freed-by-input-gradient", "1.5"},
                 "'1.5' is more than 1"},
        BadInput{{"schedule", "1f1b", "--freed-by-input-gradient", "-1"},
                 "--freed-by-input-gradient '-1'"},
        BadInput{{"schedule", "1f1b", "--recompute", "sometimes"},
                 "--recompute does not know 'sometimes'"},
        BadInput{{"schedule", "1f1b", "--recompute", "always,"}, "does not know ''"},
        BadInput{{"schedule", "1f1b", "--recompute", "always,never"},
                 "2 policies do not fit 4 stages"},
        BadInput{{"schedule", "1f1b", "--recompute", "cap=x"},
                 "--recompute cap 'x' is not a number"},
        BadInput{{"schedule", "1f1b", "--recompute", "cap="}, "without a limit"},
        BadInput{{"schedule", "1f1b", "--recompute", "cap=1,2"},
                 "2 limits do not fit 4 devices"},
        BadInput{{"schedule", "1f1b", "--recompute", "cap=0.5"},
                 "device 0 holds 1 activation even where"},
        BadInput{{"schedule", "gpipe", "--recompute", "cap=2", "--input-share", "0.5"},
                 "holds 4.5 activations even where"},
        BadInput{{"schedule", "forward", "--recompute", "always"}, "only goes forward"},
        BadInput{{"schedule", "1f1b", "--input-share", "1.5"},
                 "--input-share '1.5' is more than 1"},
        BadInput{{"schedule", "1f1b", "--input-share", "x"}, "--input-share 'x'"},
        BadInput{{"schedule", "1f1b", "--recompute", "always", "--format", "torch"},
                 "recomputation"},
        BadInput{{"schedule", "1f1b", "--dialect", "torch"}, "--dialect says how to"},
        BadInput{{"schedule", "--file", "x", "--dialect", "csv"}, "csv"},
        BadInput{{"schedule", "--file", "x", "-m", "8"},
                 "both --micro-batches and --file were given"},
        BadInput{{"schedule", "--file", "x", "--slices", "8"},
                 "both --slices and --file were given"},
        BadInput{{"schedule", "pipedream", "--format", "torch"},
                 "those of pipedream are not synchronous"},
        BadInput{{"schedule", "dualpipe", "-m", "8", "--format", "zb"}, "two copies"},
        BadInput{{"schedule", "1f1b", "--steps", "2", "--format", "zb"},
                 "holds one step"},
        BadInput{{"schedule", "1f1b", "--memory-limit", "x"}, "--memory-limit 'x'"},
        BadInput{{"schedule", "1f1b", "--memory-limit", "1,2"},
                 "2 limits for 4 devices"},
        BadInput{{"schedule", "1f1b", "--buffers", "-1"}, "--buffers '-1'"},
        BadInput{{"schedule", "1f1b", "--format", "png"}, "png"},
        BadInput{{"schedule", "1f1b", "-o", "/no/such/folder/x"}, "/no/such/folder/x"},
        BadInput{{"schedule", "1f1b", "-o", "/"}, "cannot write /"},
        BadInput{{"schedule", "--file", "/no/such/file"}, "cannot read /no/such/file"},
        BadInput{{"schedule", "--file", "/"}, "/ is a folder"}));

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

Json figures_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "schedule");
  arguments.insert(arguments.end(), {"--format", "json"});
  const auto result = workbook(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  return parse_json(result.output);
}

TEST(ScheduleCommand, TakesChunksAndGroups) {
  Json json = figures_of({"interleaved", "-p", "4", "-m", "8", "-v", "2"});
  EXPECT_EQ(json["stages"], 8);
  EXPECT_EQ(json["makespan"], 57);
  EXPECT_EQ(json["peak_chunks"], Json({11, 9, 7, 5}));
  EXPECT_EQ(json["peak"], Json({5.5, 4.5, 3.5, 2.5}));
  json = figures_of({"interleaved", "-p", "4", "-m", "10", "--group-size", "4"});
  EXPECT_EQ(json["makespan"], 79);
}

TEST(ScheduleCommand, CountsTheStagesOfTheModelAndTheMicroBatchesOfBothWays) {
  const Json json = figures_of({"dualpipe", "-p", "8", "-m", "20"});
  EXPECT_EQ(json["stages"], 8);
  EXPECT_EQ(json["micro_batches"], 20);
  EXPECT_EQ(json["makespan"], 66);
  EXPECT_EQ(json["peak"][0], 9);
}

TEST(ScheduleCommand, CutsTheCostsOfAMicroBatchIntoSlices) {
  // (4 + 3) slices, each a fourth of 3.
  const Json json = figures_of({"token-slices", "-p", "4", "-m", "1", "--slices", "4"});
  EXPECT_EQ(json["makespan"], 7 * 3.0 / 4);
}

TEST(ScheduleCommand, RunsStepsOneAfterAnother) {
  EXPECT_EQ(figures_of({"zb-h2", "--steps", "2"})["steps"], 2);
  const Json apart = figures_of({"zb-h2", "--steps", "2", "--global-norm"});
  const Json interlocked = figures_of({"zb-h2", "--steps", "2"});
  EXPECT_LT(interlocked["makespan"].get<double>(), apart["makespan"].get<double>());
}

TEST(ScheduleCommand, TakesTheCostsOfEachStageFromAFile) {
  const ScratchFolder folder;
  const std::string file = (folder / "stages.csv").string();
  ASSERT_TRUE(write_file(file, "stage,F,I,W\n0,1,1,1\n1,4,2,2\n"));
  // Stage 1 is busy all the time: 3 micro-batches of 8, between F and B of stage 0.
  const Json json = figures_of({"gpipe", "-p", "2", "-m", "3", "--costs-file", file});
  EXPECT_EQ(json["makespan"], 1 + 3 * 8 + 2);
  const auto few = workbook({"schedule", "gpipe", "--costs-file", file});
  EXPECT_EQ(few.exit_code, 2);
  EXPECT_NE(few.output.find("2 stage costs for 4 stages"), std::string::npos)
      << few.output;
}

TEST(ScheduleCommand, SlowsTheLinksThatItIsTold) {
  // One micro-batch there: 4 forwards, and 3 hops.
  const auto makespan = [](std::vector<std::string> options) {
    options.insert(options.begin(), {"forward", "-p", "4", "-m", "1"});
    return figures_of(options)["makespan"].get<double>();
  };
  EXPECT_EQ(makespan({}), 4);
  EXPECT_EQ(makespan({"--costs", "c=0.5"}), 4 + 3 * 0.5);
  EXPECT_EQ(makespan({"--message-bytes", "100", "--bandwidth", "50"}), 4 + 3 * 2);
  EXPECT_EQ(
      makespan({"--costs", "c=0.5", "--devices-per-node", "2", "--node-latency", "5"}),
      4 + 2 * 0.5 + 5);
  EXPECT_EQ(makespan({"--message-bytes", "100", "--bandwidth", "50",
                      "--devices-per-node", "2", "--node-bandwidth", "10"}),
            4 + 2 * 2 + 10);
}

TEST(ScheduleCommand, CountsWhatTheInputGradientFrees) {
  // On the last device only weight gradients are put off.
  const auto peaks = [](const char* share) {
    return figures_of(
        {"zb-h1", "-p", "4", "-m", "8", "--freed-by-input-gradient", share})["peak"];
  };
  EXPECT_EQ(peaks("0"), Json({4, 4, 4, 4}));
  EXPECT_EQ(peaks("1"), Json({4, 3, 2, 1}));
  const auto held = [](const char* share) {
    return workbook({"schedule", "zb-h1", "-p", "4", "-m", "8", "--memory-limit",
                     "4,3,2,1", "--freed-by-input-gradient", share, "--verify"})
        .exit_code;
  };
  EXPECT_EQ(held("0"), 1);
  EXPECT_EQ(held("1"), 0);
}

TEST(ScheduleCommand, RecomputesByAPolicyOrToStayWithinACap) {
  const auto figures = [](const char* policy) {
    return figures_of({"1f1b", "-p", "4", "-m", "8", "--recompute", policy});
  };
  EXPECT_EQ(figures("never"), figures_of({"1f1b", "-p", "4", "-m", "8"}));
  const Json always = figures("always");
  EXPECT_EQ(always["makespan"], 41);
  EXPECT_EQ(always["ideal"], 32);
  EXPECT_EQ(always["recomputed"], Json({8, 8, 8, 8}));
  EXPECT_EQ(always["peak"], Json({1, 1, 1, 1}));
  EXPECT_EQ(figures("all-but-last")["recomputed"], Json({7, 7, 7, 0}));
  EXPECT_EQ(figures("always,never,never,never")["recomputed"], Json({8, 0, 0, 0}));
  EXPECT_EQ(figures("cap=1")["recomputed"], Json({8, 8, 8, 0}));
  EXPECT_EQ(figures("cap=4,2,2,1")["peak"], Json({4, 2, 2, 1}));
  EXPECT_EQ(figures("cap=4,2,2,1")["recomputed"][0], 0);
  EXPECT_EQ(figures_of({"gpipe", "-p", "2", "-m", "5", "--recompute", "always",
                        "--input-share", "0.25"})["peak"],
            Json({2, 2}));
}

TEST(ScheduleCommand, ShowsRecomputationInEveryFormat) {
  const auto printed = [](std::vector<const char*> more) {
    std::vector<std::string> arguments = {"schedule", "1f1b", "-p",          "2",
                                          "-m",       "3",    "--recompute", "always"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return workbook(arguments).output;
  };
  const auto holds = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const std::string text = printed({});
  EXPECT_TRUE(holds(text, "R recompute")) << text;
  EXPECT_TRUE(holds(text, "recomputed forwards, a device: 3, 3")) << text;
  EXPECT_TRUE(holds(printed({"--format", "svg"}), "class=\"recompute"))
      << printed({"--format", "svg"});
  EXPECT_TRUE(holds(printed({"--format", "csv"}), "0,recompute,0,0,0,2,3"));
  EXPECT_TRUE(holds(printed({"--format", "trace"}), "\"kind\":\"recompute\""));
  EXPECT_TRUE(holds(printed({"--format", "json", "--rows"}), "\"recompute\""));
  EXPECT_TRUE(holds(printed({"--rows"}), "row 0: F0 F1 R0 B0 F2 R1 B1 R2 B2 U2"));
  EXPECT_TRUE(holds(printed({"--rows", "--lowered"}), "R0"));
}

TEST(ScheduleCommand, HoldsWhatItRecomputedAgainstTheCap) {
  const auto verified = workbook(
      {"schedule", "interleaved", "-m", "8", "--recompute", "cap=2", "--verify"});
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
}

TEST(ScheduleCommand, SaysHowManyVersionsOfTheWeightsAreKept) {
  const Json json = figures_of({"pipedream", "-p", "4", "-m", "8"});
  EXPECT_EQ(json["weight_versions"], Json({4, 3, 2, 1}));
  EXPECT_EQ(json["staleness"], Json({3, 2, 1, 0}));
  EXPECT_NE(workbook({"schedule", "pipedream"}).output.find("weight versions, a stage"),
            std::string::npos);
}

TEST(ScheduleCommand, ReadsTheDialectsThatItWrites) {
  const ScratchFolder folder;
  for (const auto& [dialect, name] : {std::pair{"torch", "interleaved"},
                                      {"torch", "dualpipe-v"},
                                      {"torch", "dualpipe"},
                                      {"zb", "zb-h1"},
                                      {"zb", "v-half"}}) {
    const std::string file = (folder / dialect).string();
    ASSERT_EQ(workbook({"schedule", name, "-m", "8", "--format", dialect, "-o", file})
                  .exit_code,
              0);
    const auto direct = workbook({"schedule", name, "-m", "8", "--format", "csv"});
    const auto read =
        workbook({"schedule", "--file", file, "--dialect", dialect, "--format", "csv"});
    EXPECT_EQ(read.exit_code, 0) << read.output;
    EXPECT_EQ(read.output, direct.output) << name;
  }
}

TEST(ScheduleCommand, VerifiesTheMessagesOfAFileAtTheCapacityThatIsAsked) {
  const ScratchFolder folder;
  const std::string file = (folder / "rows.csv").string();
  // Both ends send before they receive.
  ASSERT_TRUE(write_file(file,
                         "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
                         "1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n"));
  const auto verified = [&](const char* buffers) {
    return workbook({"schedule", "--file", file, "--dialect", "torch", "--verify",
                     "--buffers", buffers});
  };
  EXPECT_EQ(verified("1").exit_code, 0) << verified("1").output;
  const auto hung = verified("0");
  EXPECT_EQ(hung.exit_code, 1);
  EXPECT_NE(hung.output.find("stage 0 waits for"), std::string::npos) << hung.output;
}

TEST(ScheduleCommand, SaysWhereAFileCannotBeRead) {
  const ScratchFolder folder;
  const std::string file = (folder / "rows.csv").string();
  ASSERT_TRUE(write_file(file, "0F0,0B0\n1F0,,1Q0\n"));
  test::expect_refusal({{"schedule", "--file", file, "--dialect", "torch"},
                        "line 2, cell 3: '1Q0' is no action"});
  test::expect_refusal({{"schedule", "--file", file, "--dialect", "zb"},
                        "line 1, cell 1: '0F0' is no action"});
}

TEST(ScheduleCommand, PutsSendsAndReceivesIntoTheRowsIfAsked) {
  const auto rows =
      workbook({"schedule", "gpipe", "-p", "2", "-m", "1", "--rows", "--lowered"});
  EXPECT_NE(rows.output.find("row 0: F0 SA0"), std::string::npos) << rows.output;
  const auto torch = workbook(
      {"schedule", "gpipe", "-p", "2", "-m", "1", "--format", "torch", "--lowered"});
  EXPECT_EQ(torch.output, "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n");
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

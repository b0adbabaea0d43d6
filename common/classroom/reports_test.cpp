// What is read from chapters, benchmarks and CTest, and what becomes of it.
#include <gtest/gtest.h>

#include <cmath>

#include "classroom/bench_report.hpp"
#include "classroom/summary.hpp"
#include "classroom/test_programs.hpp"

namespace pipeline {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Summary, TakesTheHeadlineOfAChapter) {
  const auto summary = read_summary({"01", "ticks"}, 0,
                                    R"({"chapter": "01", "level": "symbolic", "rows": [
      {"what": "a", "predicted": 1, "measured": 1, "ratio": 1},
      {"what": "ticks", "predicted": 6, "measured": 6, "ratio": 1, "headline": true}]})");
  EXPECT_TRUE(summary.reported);
  EXPECT_EQ(summary.what, "ticks");
  EXPECT_EQ(summary.predicted, 6);
  EXPECT_EQ(summary.level, "symbolic");
}

TEST(Summary, PutsWhatWasPredictedBelowItsLine) {
  ChapterSummary good = read_summary({"01", "ticks"}, 0,
                                     R"({"level": "symbolic", "rows": [
      {"what": "ticks", "predicted": 6, "measured": 6, "ratio": 1}]})");
  const ChapterSummary bad = read_summary({"02", "timeline"}, 1, "");
  EXPECT_EQ(summaries_as_text({good, bad, good}),
            "chapter      predicted  measured  ratio  level\n"
            "01 ticks             6         6      1  symbolic\n"
            "   ticks\n"
            "02 timeline                              not run: exit code 1\n"
            "01 ticks             6         6      1  symbolic\n"
            "   ticks\n");
}

TEST(Summary, SaysNotRunWhereThereIsNoReport) {
  for (const char* text : {"", "{", "[]", R"({"rows": []})", R"({"rows": [3]})"}) {
    const auto summary = read_summary({"01", "ticks"}, 3, text);
    EXPECT_FALSE(summary.reported) << text;
    EXPECT_TRUE(has(summaries_as_text({summary}), "not run: exit code 3"));
    EXPECT_TRUE(has(summaries_as_json({summary}), "\"measured\": null"));
  }
}

TEST(Summary, SaysNoneForARatioThatDoesNotExist) {
  const auto summary = read_summary(
      {"01", "ticks"}, 0,
      R"({"rows": [{"what": "a", "predicted": 0, "measured": 1, "ratio": null}]})");
  EXPECT_TRUE(std::isnan(summary.ratio));
  EXPECT_TRUE(has(summaries_as_text({summary}), "none"));
}

TEST(Bench, TakesTheMedianOfRepetitions) {
  const auto rows = parse_bench(R"({"benchmarks": [
    {"name": "a", "run_name": "a", "run_type": "iteration", "repetitions": 3, "ratio": 9},
    {"name": "a_mean", "run_name": "a", "run_type": "aggregate",
     "aggregate_name": "mean", "repetitions": 3, "ratio": 8},
    {"name": "a_median", "run_name": "a", "run_type": "aggregate",
     "aggregate_name": "median", "repetitions": 3, "ratio": 1.04, "limit": 1.05,
     "at_most": 1},
    {"name": "b", "run_name": "b/m:2/iterations:11/real_time", "run_type": "iteration", "repetitions": 1,
     "ratio": 0.7, "limit": 0.8, "at_most": 0},
    {"name": "c", "run_name": "c", "run_type": "iteration", "repetitions": 1}]})");
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 3U);
  EXPECT_EQ((*rows)[0].ratio, 1.04);
  EXPECT_FALSE((*rows)[0].misses());
  EXPECT_EQ((*rows)[1].name, "b/m:2");
  EXPECT_TRUE((*rows)[1].misses());
  EXPECT_FALSE((*rows)[2].misses());
  EXPECT_TRUE(has(bench_as_text(*rows), "MISSED"));
}

TEST(Bench, MissesWhenItDidNotRunOrMeasuredNothing) {
  BenchRow row;
  row.limit = 1;
  EXPECT_TRUE(row.misses());
  row.ratio = 1;
  EXPECT_FALSE(row.misses());
  row.error = "no data set";
  EXPECT_TRUE(row.misses());
  for (const char* text : {"{", "[]", "{}", R"({"benchmarks": [3]})"}) {
    EXPECT_FALSE(parse_bench(text)) << text;
  }
}

TEST(TestPrograms, ComeFromCTestWithTheirProperties) {
  const auto programs = parse_test_programs(R"({"tests": [
    {"name": "schedule", "command": ["/b/schedule_test", "x"], "properties": [
      {"name": "TIMEOUT", "value": 12.0}, {"name": "RUN_SERIAL", "value": true},
      {"name": "ENVIRONMENT", "value": ["A=1", "B="]}]},
    {"name": "later", "properties": []}]})");
  ASSERT_TRUE(programs);
  const TestProgram& first = programs->at(0);
  EXPECT_EQ(first.command.at(1), "x");
  EXPECT_EQ(first.timeout_seconds, 12);
  EXPECT_TRUE(first.alone);
  EXPECT_EQ(first.environment.at(0), std::pair(std::string("A"), std::string("1")));
  EXPECT_EQ(first.environment.at(1), std::pair(std::string("B"), std::string()));
  EXPECT_EQ(first.target(), "schedule_test");
  EXPECT_TRUE(programs->at(1).command.empty());
  EXPECT_FALSE(parse_test_programs(R"({"tests": [{}]})"));
}

/// Runs this shell script as if it were a test program.
TestTally tally_of_script(const std::string& script, double timeout = 20) {
  TestProgram program;
  program.name = "fake";
  program.command = {"/bin/sh", "-c", script};
  program.timeout_seconds = timeout;
  return run_test_programs({program}, {});
}

TEST(TestPrograms, CountACrashAsAFailureWithWhereItWas) {
  const auto tally = tally_of_script("echo '[ RUN      ] A.B'; kill -SEGV $$");
  EXPECT_EQ(tally.closing_line(), "0 passed, 1 failed, 0 skipped\n");
  EXPECT_TRUE(has(tally.failures, "fake: A.B ended with exit code 139"));
}

TEST(TestPrograms, CountOneThatDoesNotEndAsAFailure) {
  const auto tally = tally_of_script("echo '[ RUN      ] A.B'; sleep 600", 0.2);
  EXPECT_EQ(tally.failed, 1);
  EXPECT_TRUE(has(tally.failures, "A.B did not end in time"));
}

constexpr const char* kAllGood =
    R"(echo '{"testsuites": [{"name": "A", "testsuite": [{"name": "B",
       "status": "RUN", "result": "COMPLETED"}]}]}' > "${GTEST_OUTPUT#json:}"; )";

TEST(TestPrograms, CountAGoodReportWithABadExitCodeAsAFailureToo) {
  const auto tally = tally_of_script(std::string(kAllGood) + "echo leak; exit 23");
  EXPECT_EQ(tally.closing_line(), "1 passed, 1 failed, 0 skipped\n");
  EXPECT_TRUE(has(tally.failures, "leak"));
}

TEST(TestPrograms, CountASkippedCaseAsSkippedAndSayWhy) {
  const auto tally = tally_of_script(
      R"(echo '{"testsuites": [{"name": "A", "testsuite": [{"name": "B",
         "status": "RUN", "result": "SKIPPED"}]}]}' > "${GTEST_OUTPUT#json:}"
         printf '[ RUN      ] A.B\nx.cpp:4: Skipped\nno GPU\n[  SKIPPED ] A.B (0 ms)\n')");
  EXPECT_EQ(tally.closing_line(), "0 passed, 0 failed, 1 skipped\n");
  ASSERT_EQ(tally.skips.size(), 1U);
  EXPECT_EQ(tally.skips[0], "A.B: no GPU");
}

TEST(TestPrograms, BeginWithThoseThatMayTakeLongest) {
  // All fail, so the failures tell in which order they ran.
  const auto saying = [](const std::string& name, double timeout) {
    TestProgram program;
    program.name = name;
    program.command = {"/bin/sh", "-c", "echo '[ RUN      ] " + name + "'; exit 1"};
    program.timeout_seconds = timeout;
    return program;
  };
  TestRunOptions options;
  options.jobs = 1;
  const std::string failures =
      run_test_programs({saying("short", 10), saying("long", 30), saying("longer", 60),
                         saying("long_too", 30)},
                        options)
          .failures;
  const auto at = [&](const std::string& name) {
    return failures.find("] " + name + "\n");
  };
  EXPECT_LT(at("longer"), at("long"));
  EXPECT_LT(at("long"), at("long_too"));
  EXPECT_LT(at("long_too"), at("short"));
  EXPECT_NE(at("short"), std::string::npos);
}

TEST(TestPrograms, CountOneThatWasNotBuiltAsAFailure) {
  TestProgram program;
  program.name = "absent";
  EXPECT_EQ(run_test_programs({program}, {}).failed, 1);
}

TEST(OutputOfCase, IsWhatStandsBetweenItsMarks) {
  const std::string output =
      "[ RUN      ] A.B\none\n[       OK ] A.B (0 ms)\n"
      "[ RUN      ] A.BC\ntwo\n[  FAILED  ] A.BC (0 ms)\n";
  EXPECT_EQ(output_of_case(output, "A.B"), "one\n");
  EXPECT_EQ(output_of_case(output, "A.BC"), "two\n");
  EXPECT_EQ(output_of_case(output, "A.X"), "");
}

}  // namespace
}  // namespace pipeline

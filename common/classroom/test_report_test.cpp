#include "classroom/test_report.hpp"

#include <gtest/gtest.h>

namespace pipeline {
namespace {

// As GoogleTest 1.12 writes it, shortened.
constexpr const char* kReport = R"({"tests": 4, "name": "AllTests", "testsuites": [
  {"name": "Ticks", "testsuite": [
    {"name": "Passes", "status": "RUN", "result": "COMPLETED", "points": "2"},
    {"name": "Fails", "status": "RUN", "result": "COMPLETED", "points": "3",
     "failures": [{"failure": "test.cpp:3\nExpected: 6", "type": ""},
                  {"failure": "test.cpp:4\nand more", "type": ""}]},
    {"name": "Skips", "status": "RUN", "result": "SKIPPED"},
    {"name": "LeftOut", "status": "NOTRUN", "result": "SUPPRESSED"}]}]})";

TEST(TestReport, TellsPassedFailedAndSkippedApart) {
  const auto report = parse_test_report(kReport);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->cases.size(), 3U);
  EXPECT_EQ(report->count(Outcome::Passed), 1);
  EXPECT_EQ(report->count(Outcome::Failed), 1);
  EXPECT_EQ(report->count(Outcome::Skipped), 1);
  EXPECT_EQ(report->find("Ticks.Skips")->outcome, Outcome::Skipped);
  EXPECT_EQ(report->find("Ticks.LeftOut"), nullptr);
}

TEST(TestReport, JoinsTheMessagesOfOneCase) {
  EXPECT_EQ(parse_test_report(kReport)->find("Ticks.Fails")->message,
            "test.cpp:3\nExpected: 6\ntest.cpp:4\nand more");
}

TEST(TestReport, GivesPointsForWhatPassedAlone) {
  const auto report = parse_test_report(kReport);
  EXPECT_EQ(report->points(), 5);
  EXPECT_EQ(report->points_earned(), 2);
}

TEST(TestReport, RefusesEveryTruncation) {
  const std::string whole = kReport;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(parse_test_report(whole.substr(0, length))) << length;
  }
}

TEST(TestReport, RefusesOtherJson) {
  for (const char* text :
       {"[]", "{}", "3", R"({"testsuites": 3})", R"({"testsuites": [{"name": "A"}]})",
        R"({"testsuites": [{"testsuite": [{"status": "RUN"}]}]})"}) {
    EXPECT_FALSE(parse_test_report(text)) << text;
  }
}

TEST(TestReport, NamesTestsInWords) {
  EXPECT_EQ(test_in_words("TickCount.IsSix"), "tick count is six");
  EXPECT_EQ(test_in_words("TickCount"), "tick count");
}

TEST(TestReport, LeavesOutWhereATestStands) {
  EXPECT_EQ(without_places("/home/student/test.cpp:57\nExpected: 6\n\nat 3:4\n"
                           "test.hpp:9\nWhich is: 5"),
            "Expected: 6\n\nat 3:4\nWhich is: 5");
  EXPECT_EQ(without_places("test.cpp:9\nFailed\nToo late.\nFailed twice"),
            "Too late.\nFailed twice");
  EXPECT_EQ(without_places(""), "");
}

}  // namespace
}  // namespace pipeline

#include "classroom/proof.hpp"

#include <gtest/gtest.h>

namespace pipeline {
namespace {

const Mistake kMistake = {"dropped", "last one dropped", "Ticks.CountsAll", "6 ticks",
                          2};

Trial trial_of(std::vector<TestCase> cases) {
  Trial trial;
  for (const TestCase& test : cases) {
    if (test.outcome == Outcome::Failed) trial.process.exit_code = 1;
  }
  trial.report = TestReport{std::move(cases)};
  return trial;
}

Trial crash() {
  Trial trial;
  trial.report = refuse("no report", "");
  trial.process.exit_code = 139;
  return trial;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Proof, AcceptsAMistakeThatFailsWhereAndAsItShould) {
  EXPECT_EQ(
      complaint_about_mistake(
          kMistake,
          trial_of({{"Ticks.CountsAll", Outcome::Failed, "expected 6 ticks, got 5", 1},
                    {"Ticks.Other", Outcome::Passed, "", 2}})),
      "");
}

TEST(Proof, RejectsAMistakeThatOnlyAnotherTestFinds) {
  const std::string complaint = complaint_about_mistake(
      kMistake, trial_of({{"Ticks.CountsAll", Outcome::Passed, "", 1},
                          {"Ticks.Other", Outcome::Failed, "6 ticks", 1}}));
  EXPECT_TRUE(has(complaint, "Ticks.CountsAll does not find it"));
  EXPECT_TRUE(has(complaint, "Ticks.Other"));
}

TEST(Proof, RejectsAMistakeThatEarnsOtherPoints) {
  const std::string complaint = complaint_about_mistake(
      kMistake, trial_of({{"Ticks.CountsAll", Outcome::Failed, "6 ticks", 1},
                          {"Ticks.Other", Outcome::Passed, "", 3}}));
  EXPECT_TRUE(has(complaint, "it earns 3 of 4 points, and its file says 2"));
}

TEST(Proof, RejectsAMistakeThatIsFoundWithOtherWords) {
  EXPECT_TRUE(has(
      complaint_about_mistake(
          kMistake, trial_of({{"Ticks.CountsAll", Outcome::Failed, "expected 7", 1}})),
      "does not say"));
}

TEST(Proof, RejectsAMistakeThatNamesATestThatThereIsNot) {
  EXPECT_TRUE(has(complaint_about_mistake(
                      kMistake, trial_of({{"Ticks.B", Outcome::Failed, "6 ticks", 1}})),
                  "there is no test Ticks.CountsAll"));
}

TEST(Proof, RejectsACrashInPlaceOfAFailure) {
  EXPECT_NE(complaint_about_mistake(kMistake, crash()), "");
  EXPECT_NE(complaint_about_starter(crash()), "");
  EXPECT_NE(complaint_about_solution(crash()), "");
}

TEST(Proof, RejectsAStarterThatPasses) {
  EXPECT_NE(complaint_about_starter(trial_of({{"A.B", Outcome::Passed, "", 1}})), "");
  EXPECT_EQ(complaint_about_starter(trial_of({{"A.B", Outcome::Failed, "x", 1}})), "");
}

TEST(Proof, RejectsASolutionThatFailsSkipsOrIsWorthNothing) {
  const TestCase good = {"A.A", Outcome::Passed, "", 1};
  EXPECT_EQ(complaint_about_solution(trial_of({good})), "");
  EXPECT_NE(complaint_about_solution(trial_of({good, {"A.B", Outcome::Failed, "", 1}})),
            "");
  EXPECT_NE(
      complaint_about_solution(trial_of({good, {"A.B", Outcome::Skipped, "", 1}})), "");
  EXPECT_NE(complaint_about_solution(trial_of({{"A.A", Outcome::Passed, "", 0}})), "");
  EXPECT_NE(complaint_about_solution(trial_of({})), "");
}

}  // namespace
}  // namespace pipeline

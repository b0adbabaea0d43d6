// The example of docs/instructors.md: tests that an instructor hides. They are compiled
// into this program, with the solution; and graded with, in --full.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "classroom/files.hpp"
#include "classroom/starter.hpp"
#include "grading/judge.hpp"
#include "grading/tier_here.hpp"
#include "grading/whole_answer.hpp"
#include "schedule/full_tier.hpp"

namespace pipeline {
namespace {

const Workspace kHere = {WORKBOOK_ROOT, WORKBOOK_BUILD};
const std::set<std::string> kHiddenTests = {
    "HiddenAccumulate.LeavesGradientsAloneThatAreAllTheSame",
    "HiddenGPipe.DoesOneForwardAndOneBackwardOfOneMicroBatch"};

std::string text_of(const std::string& path) {
  const auto text = read_file(kHere.root / path);
  EXPECT_TRUE(text) << path;
  return text.value_or("");
}

/// Those of the tests that the answer fails which are hidden.
std::set<std::string> hidden_failures(const Verdict& verdict) {
  std::set<std::string> names;
  for (const TestVerdict& test : verdict.tests) {
    if (test.test.hidden && !test.passed) names.insert(test.test.name);
  }
  return names;
}

void expect_graded_with(const Kit& kit, Tier tier) {
  std::set<std::string> hidden;
  for (const TestInfo& test : kit.list) {
    if (test.hidden) hidden.insert(test.name);
    EXPECT_EQ(test.hidden, !test.hint.empty()) << test.name;
  }
  EXPECT_EQ(hidden, kHiddenTests);
  JudgeOptions options;
  options.tier = tier;
  options.patience = 20;  // nothing here is about time
  const std::string solution = text_of("solutions/10_gpipe/exercise.cpp");
  const Verdict right = judge(kit, without_marks(solution), options);
  EXPECT_EQ(right.points(), right.of());
  const auto wrong = whole_answer(
      solution, text_of("exercises/10_gpipe/mistakes/sum_instead_of_mean.cpp"));
  ASSERT_TRUE(wrong) << wrong.error().what;
  EXPECT_EQ(hidden_failures(judge(kit, *wrong, options)),
            std::set<std::string>{*kHiddenTests.begin()});
}

TEST(HiddenExample, IsCompiledRunAndGradedWith) {
  std::set<std::string> here;
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *program.GetTestSuite(i);
    if (!std::string(suite.name()).starts_with("Hidden")) continue;
    for (int k = 0; k < suite.total_test_count(); ++k) {
      here.insert(std::string(suite.name()) + "." + suite.GetTestInfo(k)->name());
    }
  }
  here.erase("HiddenExample.IsCompiledRunAndGradedWith");
  EXPECT_EQ(here, kHiddenTests);

  if (!in_full_tier()) return;  // it builds all anew, twice
  const auto tier = tier_here();
  if (!tier) GTEST_SKIP() << tier.error().what;
  const Unit exercise = {"10", "gpipe"};
  const auto kit =
      make_kit(kHere, exercise, kHere.root / "docs" / "hidden_example", *tier);
  ASSERT_TRUE(kit) << kit.error().what;
  expect_graded_with(*kit, *tier);
  EXPECT_TRUE(make_kit(kHere, exercise, "", *tier)) << "as the build was before";
}

}  // namespace
}  // namespace pipeline

#include "grading/class_figures.hpp"

#include <gtest/gtest.h>

#include <string>

#include "grading/report_test_support.hpp"

namespace pipeline {
namespace {

TEST(ClassFigures, LeaveOutWhoWasNotJudged) {
  const Gradebook gradebook = test::example_class();
  const ClassFigures figures = figures_of(gradebook);
  EXPECT_EQ(figures.handed_in, 6);  // of 8: one missing, one grader's error
  EXPECT_EQ(figures.statuses, (std::array<int, 7>{2, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(figures.passed, (std::vector<int>{4, 2, 3, 3}));
  EXPECT_DOUBLE_EQ(figures.mean, (10 + 1 + 0 + 4 + 5 + 9) / 6.0);
  EXPECT_DOUBLE_EQ(figures.median, 4.5);
}

TEST(ClassFigures, CountMistakesTheMostFrequentFirst) {
  Gradebook gradebook = test::example_class();
  gradebook.students[3].verdict.mistake = "last_micro_batch_dropped";
  gradebook.students[4].verdict.mistake = "divides_by_one_device";
  const ClassFigures figures = figures_of(gradebook);
  ASSERT_EQ(figures.mistakes.size(), 2U);
  EXPECT_EQ(figures.mistakes[0].mistake.file, "last_micro_batch_dropped");
  ASSERT_EQ(figures.mistakes[0].students.size(), 2U);
  EXPECT_EQ(figures.mistakes[0].students[1]->submission.id, "student-04");
  EXPECT_EQ(figures.mistakes[1].students.size(), 1U);
  EXPECT_EQ(figures.unexplained, 1);  // student-06; what did not compile is none
}

TEST(ClassFigures, OfNobodyAreZero) {
  const Gradebook nobody = test::empty_class();
  const ClassFigures figures = figures_of(nobody);
  EXPECT_EQ(figures.handed_in, 0);
  EXPECT_EQ(figures.mean, 0);
  EXPECT_EQ(figures.median, 0);
  EXPECT_EQ(percent(0, 0), "-");
}

TEST(Percent, IsRoundedButNeverToAllOrNone) {
  EXPECT_EQ(percent(2, 3), "67 %");
  EXPECT_EQ(percent(1, 8), "13 %");
  EXPECT_EQ(percent(299, 300), "99 %");
  EXPECT_EQ(percent(1, 300), "1 %");
  EXPECT_EQ(percent(300, 300), "100 %");
  EXPECT_EQ(percent(0, 300), "0 %");
}

}  // namespace
}  // namespace pipeline

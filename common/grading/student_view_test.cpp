#include "grading/student_view.hpp"

#include <gtest/gtest.h>

#include "grading/report_test_support.hpp"

namespace pipeline {
namespace {

TEST(StudentView, ShowsMessagesOfPlainTestsWithoutWhereTheyStand) {
  const Gradebook gradebook = test::example_class();
  const StudentView view = view_for_student(gradebook, gradebook.students[1]);
  ASSERT_EQ(view.tests.size(), 3U);
  EXPECT_EQ(view.tests[0].name, "tick count is six for three devices");
  EXPECT_EQ(view.tests[0].mark, Mark::Passed);
  EXPECT_EQ(view.tests[0].text, "");
  EXPECT_EQ(view.tests[1].mark, Mark::Failed);
  EXPECT_EQ(view.tests[1].text, "Expected 6, came 5 in TickCount.IsWhatWalkingTakes.");
}

TEST(StudentView, SendsHomeForTestsWithDrawnInputs) {
  Gradebook gradebook = test::example_class();
  const StudentView view = view_for_student(gradebook, gradebook.students[1]);
  EXPECT_EQ(view.tests[2].text,
            "Its inputs were drawn for this grading and stay secret. Run ./workbook "
            "check 01 at home: there it draws others, and says what it expected.");
  gradebook.per_student = true;
  EXPECT_NE(view_for_student(gradebook, gradebook.students[1])
                .tests[2]
                .text.find("drawn for you alone"),
            std::string::npos);
}

TEST(StudentView, ShowsOfHiddenTestsTheHintsAlone) {
  Gradebook gradebook = test::empty_class();
  gradebook.tests.push_back(
      {"SecretSuite.Another", 1, "What if there is no device?", true, false});
  gradebook.tests.push_back({"SecretSuite.WithoutAHint", 1, "", true, true});
  const StudentView failed = view_for_student(
      gradebook, test::graded(gradebook, "student-01", Status::Ok, "+++---"));
  EXPECT_EQ(failed.tests.size(), 3U);
  EXPECT_EQ(failed.hidden, 3);
  EXPECT_EQ(failed.hidden_passed, 0);
  EXPECT_EQ(failed.hints, std::vector<std::string>{"What if there is no device?"});
  const StudentView passed = view_for_student(
      gradebook, test::graded(gradebook, "student-01", Status::Ok, "++++++"));
  EXPECT_EQ(passed.hidden_passed, 3);
  EXPECT_TRUE(passed.hints.empty());
}

TEST(StudentView, GivesNoHintsWhereNothingRan) {
  const Gradebook gradebook = test::example_class();
  const StudentView view = view_for_student(gradebook, gradebook.students[2]);
  EXPECT_FALSE(view.tested);
  EXPECT_TRUE(view.hints.empty());
  EXPECT_EQ(view.compiler_errors,
            "exercise.cpp:4:10: error: expected ';' before '}' token");
  for (const ViewedTest& test : view.tests) EXPECT_EQ(test.mark, Mark::NotRun);
}

TEST(StudentView, TellsACompilerThatTookTooLongFromATestThatDid) {
  Gradebook gradebook = test::example_class();
  Graded& graded = gradebook.students[3];
  EXPECT_EQ(view_for_student(gradebook, graded).headline,
            "Your code did not come to an end in time.");
  graded = test::graded(gradebook, "student-04", Status::Timeout, "tttt");
  graded.verdict.compiler_errors = "The compiler took too long, and was stopped.\n";
  const StudentView view = view_for_student(gradebook, graded);
  EXPECT_EQ(view.headline,
            "Compiling your file took more time or memory than it may, so that no test "
            "could run.");
  EXPECT_TRUE(view.hints.empty());
  for (const ViewedTest& test : view.tests) EXPECT_EQ(test.mark, Mark::NotRun);
}

TEST(StudentView, SaysWhyATestDidNotComeToItsEnd) {
  const Gradebook gradebook = test::example_class();
  EXPECT_EQ(view_for_student(gradebook, gradebook.students[3]).tests[1].text,
            "It did not come to an end in time.");
  EXPECT_EQ(view_for_student(gradebook, gradebook.students[4]).tests[1].text,
            "It crashed.");
  EXPECT_EQ(view_for_student(gradebook, gradebook.students[5]).tests[0].text,
            "It took more memory than it may.");
}

TEST(StudentView, CountsDaysInWords) {
  EXPECT_EQ(lateness(0), "");
  EXPECT_EQ(lateness(1), "1 day late");
  EXPECT_EQ(lateness(2.5), "2.5 days late");
}

}  // namespace
}  // namespace pipeline

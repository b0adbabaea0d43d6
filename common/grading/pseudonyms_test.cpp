#include "grading/pseudonyms.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "grading/report_test_support.hpp"

namespace pipeline {
namespace {

TEST(Pseudonyms, AreStableAndDependOnTheSecret) {
  // HMAC-SHA-256 with the SHA-256 of "secret" as its key, by Python's hmac.
  EXPECT_EQ(pseudonym("student-01", "secret"), "student-6df7d548");
  EXPECT_NE(pseudonym("student-01", "secret"), pseudonym("student-02", "secret"));
  EXPECT_NE(pseudonym("student-01", "secret"), pseudonym("student-01", "other"));
}

TEST(Pseudonyms, HideWhoAndWhatTheyWroteAndKeepTheVerdicts) {
  const Gradebook named = test::example_class();
  const Gradebook hidden = anonymous(named, "secret");
  ASSERT_EQ(hidden.students.size(), named.students.size());
  EXPECT_TRUE(std::is_sorted(hidden.students.begin(), hidden.students.end(),
                             [](const Graded& a, const Graded& b) {
                               return a.submission.id < b.submission.id;
                             }));
  for (const Graded& graded : named.students) {
    const std::string name = pseudonym(graded.submission.id, "secret");
    const auto found =
        std::find_if(hidden.students.begin(), hidden.students.end(),
                     [&](const Graded& other) { return other.submission.id == name; });
    ASSERT_NE(found, hidden.students.end());
    EXPECT_EQ(found->submission.name, name);
    EXPECT_EQ(found->verdict.points(), graded.verdict.points());
    EXPECT_EQ(found->verdict.status, graded.verdict.status);
    EXPECT_EQ(found->verdict.mistake, graded.verdict.mistake);
    EXPECT_EQ(found->verdict.compiler_errors, "");
    EXPECT_TRUE(found->submission.notes.empty());
    EXPECT_EQ(found->submission.late_days, 0);
    for (const TestVerdict& test : found->verdict.tests) EXPECT_EQ(test.message, "");
  }
}

}  // namespace
}  // namespace pipeline

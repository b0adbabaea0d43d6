#include "grading/gradescope_export.hpp"

#include <gtest/gtest.h>

#include <string>

namespace pipeline {
namespace {

// The form of Gradescope's export: Ruby's YAML, whose keys are symbols.
constexpr const char* kMetadata = R"(---
submission_101:
  :submitters:
  - :name: Student Seven
    :sid: '0007'
    :email: student-07@example.edu
  - :name: Student Eight
    :sid:
    :email: student-08@example.edu
  :created_at: 2023-01-01 12:34:56.789000000 Z
  :score: 4.0
  :status: processed
  :results:
    tests:
    - output: "a text: of { a test }\n- :name: not a submitter"
  :history:
  - :id: 100
    :created_at: 2022-12-31 10:00:00.000000000 Z
    :submitters:
    - :name: Nobody
submission_102:
  :submitters: []
  :created_at: 2023-01-02 00:00:00 Z
)";

TEST(GradescopeExport, NamesEverySubmitterOfAGroup) {
  const auto read = parse_gradescope_metadata(kMetadata);
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->size(), 2U);
  const ExportedSubmission& group = read->at("submission_101");
  EXPECT_EQ(group.submitters,
            (std::vector<Submitter>{{"Student Seven", "0007", "student-07@example.edu"},
                                    {"Student Eight", "", "student-08@example.edu"}}));
  EXPECT_EQ(group.when, 1672576496);
  EXPECT_TRUE(read->at("submission_102").submitters.empty());
}

TEST(GradescopeExport, RefusesWhatItIsNot) {
  for (const char* text : {"", "- a\n- b\n", "just a text", "a: [1, 2", "\xFF\xFE\x01"})
    EXPECT_FALSE(parse_gradescope_metadata(text).has_value()) << text;
}

TEST(GradescopeExport, ATextCannotGrowByItsAliases) {
  // "A billion laughs": ten references to ten references, and so on.
  std::string yaml = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 60; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    yaml += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 0; k < 9; ++k) yaml += ", " + last;
    yaml += "]\n";
  }
  const auto read = parse_gradescope_metadata(yaml);
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->empty());
}

}  // namespace
}  // namespace pipeline

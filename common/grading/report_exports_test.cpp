#include "grading/report_exports.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "grading/csv.hpp"
#include "grading/report_test_support.hpp"

namespace pipeline {
namespace {

using test::example_class;

/// `text` with each of `from` (which must be there) as `to`.
std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

bool has(const Warnings& warnings, std::string_view part) {
  return std::any_of(warnings.begin(), warnings.end(), [&](const std::string& warning) {
    return warning.find(part) != warning.npos;
  });
}

/// What Canvas exports: a byte order mark, names with commas in quotes, a row of
/// posting policies, numbers in parentheses behind assignments, computed columns.
const std::string kCanvas =
    "\xEF\xBB\xBF"
    "Student,ID,SIS User ID,SIS Login ID,Section,Chapter 00 Setup (101),\"01, Ticks "
    "(102)\",Current Score,Final Grade\n"
    ",,,,,Manual Posting,,,\n"
    "    Points Possible,,,,,5.00,10.00,(read only),(read only)\n"
    "\"One, Student\",9001,u1,student-01,\"A, \"\"morning\"\"\",5.00,,50.0,\n"
    "\"Two, Student\",9002,student-02,two@example.org,B,4.50,3.00,45.0,\n"
    "\"Three, Student\",student-03,u3,three,B,,\"2.00\",,\n"
    "\"Four, Student\",9004,u4,student-04,B,,EX,,\n"
    "\"Five, Student\",9005,u5,student-05,B,,N/A,,\n"
    "\"Eight, Student\",9008,u8,student-08,B,,7.00,,\n"
    "\"Nine, Student\",9009,u9,student-99,B,,1.00,,\n"
    "\"Student, Test\",9999,,,B,,,,\n";

TEST(Canvas, FillsTheAssignmentAndNoOtherByte) {
  const auto filled = fill_canvas(kCanvas, example_class());
  ASSERT_TRUE(filled.has_value()) << filled.error().what;
  std::string expected = kCanvas;
  expected = with(expected, "5.00,,50.0", "5.00,10,50.0");
  expected = with(expected, "4.50,3.00,45.0", "4.50,1,45.0");
  expected = with(expected, ",\"2.00\",", ",0,");
  EXPECT_EQ(filled->text,
            expected);  // excused, not assigned, grader's error: as before
}

TEST(Canvas, KeepsLineEndsAndSemicolons) {
  const std::string exported =
      "Student;ID;SIS Login ID;Section;Ticks (7)\r\n"
      "    Points Possible;;;;10,00\r\n"
      "\"One; Student\";9001;student-01;A;\r\n";
  const auto filled = fill_canvas(exported, example_class());
  ASSERT_TRUE(filled.has_value()) << filled.error().what;
  EXPECT_EQ(filled->text, with(exported, ";A;\r\n", ";A;10\r\n"));
}

TEST(Canvas, TellsWhomItDoesNotKnowAndWhatItCountsOtherwise) {
  const auto same = fill_canvas(kCanvas, example_class());
  ASSERT_TRUE(same.has_value());
  EXPECT_TRUE(has(same->warnings, "2 students: student-06, student-07"));
  EXPECT_FALSE(has(same->warnings, "points"));
  const auto other = fill_canvas(with(kCanvas, "10.00", "100.00"), example_class());
  ASSERT_TRUE(other.has_value());
  EXPECT_TRUE(has(other->warnings, "Canvas counts 100.00 points, the exercise has 10"));
}

TEST(Canvas, TakesTheAssignmentThatIsNamed) {
  for (const char* name : {"Chapter 00 Setup", "chapter 00 setup (101)"}) {
    const auto filled = fill_canvas(kCanvas, example_class(), name);
    ASSERT_TRUE(filled.has_value()) << filled.error().what;
    EXPECT_NE(filled->text.find("\"\"morning\"\"\",10,,50.0"), std::string::npos)
        << name;
  }
}

TEST(Canvas, RefusesAnAssignmentThatIsNotThereOrThereTwice) {
  const auto none = fill_canvas(kCanvas, example_class(), "Setup");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().what, "no assignment of Canvas is named Setup");
  EXPECT_NE(none.error().remedy.find("Chapter 00 Setup (101), 01, Ticks (102)"),
            std::string::npos);
  const auto two =
      fill_canvas(with(kCanvas, "Chapter 00 Setup", "ticks again"), example_class());
  ASSERT_FALSE(two.has_value());
  EXPECT_EQ(two.error().what, "more than one assignment of Canvas is named ticks");
}

TEST(Canvas, RefusesWhatIsNoGradebook) {
  for (const char* text :
       {"", "id,name\n1,2\n", "Student,ID,Section,Ticks (1)\na,1,A,\n",
        "Student,ID,\"Section\n"}) {
    EXPECT_FALSE(fill_canvas(text, example_class()).has_value()) << text;
  }
}

const std::string kMoodle =
    "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\",\"Grade "
    "can "
    "be changed\",\"Last modified (submission)\",\"Last modified (grade)\",\"Feedback "
    "comments\"\n"
    "\"Participant 17\",\"Student One\",student-01,\"Submitted for "
    "grading\",,10.00,Yes,"
    "\"Monday, 2 March 2026, 9:00 AM\",-,\n"
    "\"Participant student-02\",\"Student Two\",two@example.org,-,3.00,10.00,Yes,-,-,"
    "\"Well, a person wrote this\"\n"
    "\"Participant 18\",Three,student-03,-,,10.00,Yes,-,-,\"<p>Workbook: old</p>\"\n"
    "\"Participant 19\",Eight,student-08,-,4.00,10.00,Yes,-,-,\n";

TEST(Moodle, FillsGradesAndTheCommentsThatNobodyElseWrote) {
  Gradebook gradebook = example_class();
  gradebook.students[1].submission.id = "Participant student-02";
  const auto filled = fill_moodle(kMoodle, gradebook);
  ASSERT_TRUE(filled.has_value()) << filled.error().what;
  const auto before = parse_csv(kMoodle);
  const auto rows = parse_csv(filled->text);
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), before->size());
  const auto cell = [&](std::size_t row, std::size_t column) {
    return (*rows)[row][column];
  };
  EXPECT_EQ(cell(1, 4), "10");
  EXPECT_EQ(cell(1, 9), "<p>Workbook: 10 of 10 points. Every test passes.</p>");
  EXPECT_EQ(cell(2, 4), "1");
  EXPECT_EQ(cell(2, 9), "Well, a person wrote this");
  EXPECT_EQ(cell(3, 4), "0");
  EXPECT_TRUE(cell(3, 9).starts_with("<p>Workbook: 0 of 10 points. ")) << cell(3, 9);
  EXPECT_NE(cell(3, 9).find("expected &#39;;&#39; before"), std::string::npos);
  for (std::size_t row = 0; row < rows->size(); ++row) {
    for (std::size_t column = 0; column < 10; ++column) {
      if (row > 0 && row < 4 && (column == 4 || column == 9)) continue;
      EXPECT_EQ(cell(row, column), (*before)[row][column]) << row << ", " << column;
    }
  }
}

TEST(Moodle, FindsAParticipantByItsNumber) {
  Gradebook gradebook = example_class();
  gradebook.students[0].submission.id = "19";
  const auto filled = fill_moodle(kMoodle, gradebook);
  ASSERT_TRUE(filled.has_value());
  EXPECT_EQ((*parse_csv(filled->text))[4][4], "10");
}

TEST(Moodle, CommentsHoldNoMarkupOfStudentsAndNoSecret) {
  Gradebook gradebook = test::hostile_class();
  gradebook.students[0].submission.id = "17";
  const auto filled = fill_moodle(kMoodle, gradebook);
  ASSERT_TRUE(filled.has_value());
  const std::string comment = (*parse_csv(filled->text))[1][9];
  EXPECT_NE(comment.find("&lt;script&gt;alert(1)"), std::string::npos);
  for (const char* secret : {"<script", "SecretSuite", "CountsDrawnCells"}) {
    EXPECT_EQ(comment.find(secret), comment.npos) << secret;
  }
}

TEST(Moodle, RefusesWhatIsNoWorksheet) {
  for (const char* text : {"", "id,name\n1,2\n", "Identifier,\"Grade\n"}) {
    EXPECT_FALSE(fill_moodle(text, example_class()).has_value()) << text;
  }
}

}  // namespace
}  // namespace pipeline

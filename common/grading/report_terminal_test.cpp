#include "grading/report_terminal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "grading/report_test_support.hpp"

namespace pipeline {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = {""};
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

Look plain() { return {}; }

TEST(Terminal, ShowsAStudentOfEveryStatus) {
  const std::string text = grades_as_text(test::example_class(), plain(), true);
  for (const char* row :
       {"student-01            ok              10/10         ++++\n",
        "student-02            ok               1/10    2.5  +xxx\n",
        "student-03            compile          0/10         ....\n",
        "student-04            timeout          4/10         +t+x\n",
        "student-05            crash            5/10         +cc+\n",
        "student-06            memory           9/10         m+++\n",
        "student-07            missing          0/10         ....\n",
        "student-08            grader-error        -         ....\n"}) {
    EXPECT_NE(text.find(row), text.npos) << row << text;
  }
}

TEST(Terminal, CountsTheClassOverWhatWasJudged) {
  const std::string text = class_as_text(test::example_class(), plain());
  for (const char* row :
       {"  1   67 % 4/6          1  tick count is six for three devices\n",
        "  4   50 % 3/6          4  secret suite refuses zero devices (hidden)\n",
        "         1  the last micro-batch is dropped\n",
        "         0  divides by one device's work\n",
        "         3  (failed, and by none of these)\n",
        "Of 6 handed in: mean 4.8 and median 4.5 of 10 points.\n",
        "Sandbox: bubblewrap.\n"}) {
    EXPECT_NE(text.find(row), text.npos) << row << text;
  }
}

TEST(Terminal, FitsEightyColumnsWhateverTheTexts) {
  Gradebook gradebook = test::hostile_class();
  for (int i = 0; i < 60; ++i) {
    gradebook.tests.push_back(test::plain_test(
        "SuiteWithALongName.AndATestThatSaysInManyWordsWhatItWantsToSee", 1));
  }
  for (Graded& graded : gradebook.students) {
    graded.verdict.tests.resize(gradebook.tests.size(), graded.verdict.tests[0]);
  }
  gradebook.tier = "unsafe";
  for (const bool ascii : {false, true}) {
    for (const std::string& line :
         lines_of(grades_as_text(gradebook, plain(), ascii))) {
      EXPECT_LE(columns(line), 80U) << line;
    }
  }
}

TEST(Terminal, LetsNoStudentSendControlSequences) {
  const std::string text = grades_as_text(test::hostile_class(), plain(), false);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
  }));
  EXPECT_EQ(text.find("\u202E"), text.npos);
}

TEST(Terminal, HasColoursOnlyWhereAskedAndTellsNothingByThemAlone) {
  Look colourful;
  colourful.colour = true;
  std::string text = grades_as_text(test::example_class(), colourful, false);
  const std::string without = grades_as_text(test::example_class(), plain(), false);
  EXPECT_EQ(without.find('\033'), without.npos);
  EXPECT_NE(text.find("\033[31m"), text.npos);
  for (std::size_t at = 0; (at = text.find('\033', at)) != text.npos;) {
    text.erase(at, text.find('m', at) + 1 - at);
  }
  EXPECT_EQ(text, without);
}

TEST(Terminal, SaysWhatAWeakSandboxLeavesOpen) {
  Gradebook gradebook = test::example_class();
  gradebook.tier = "unsafe";
  EXPECT_NE(class_as_text(gradebook, plain()).find("Sandbox: unsafe (limits alone:"),
            std::string::npos);
}

}  // namespace
}  // namespace pipeline

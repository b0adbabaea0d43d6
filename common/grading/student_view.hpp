/// \file
/// What a student gets to read of a verdict. Whatever goes to students is written from
/// this and from nothing else, so that what is secret is decided in one place:
///
/// - of a test that an instructor hid: neither name nor message, only its hint, where
/// it
///   failed;
/// - of a test whose inputs are drawn with the secret seed: its name, and how to run
/// the
///   same test at home with inputs that may be read;
/// - of every other test: its name and its message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grading/gradebook.hpp"

namespace pipeline {

/// What a student is told of a test.
enum class Mark : std::uint8_t {
  Passed,  ///< it earned its points
  Failed,  ///< it ran, or its worker ended before it could end
  NotRun   ///< no test could run
};

/// "pass", "FAIL", "not run"
std::string_view to_text(Mark mark);

/// A test as its student may see it.
struct ViewedTest {
  std::string name;          ///< in words: "tick count is six for three devices"
  Mark mark = Mark::NotRun;  ///< what came of it
  int points = 0;            ///< that it is worth
  std::string text;  ///< what to know where it failed; may hold text of a student
};

/// All that a student gets to read.
struct StudentView {
  std::string headline;            ///< what became of the answer, in a sentence
  bool tested = false;             ///< whether any test could run
  std::string compiler_errors;     ///< of the compiler; empty where there are none
  std::vector<ViewedTest> tests;   ///< all but the hidden ones
  int hidden = 0;                  ///< how many those are
  int hidden_passed = 0;           ///< and how many of them passed
  std::vector<std::string> hints;  ///< of hidden tests that failed, each once
  std::vector<std::string> notes;  ///< of the submission and of its verdict
};

/// From the verdict of one student.
StudentView view_for_student(const Gradebook& gradebook, const Graded& graded);

/// Whether any test could run. Where not, none passed and none failed. (A compiler that
/// took too long makes it a timeout, too.)
bool was_tested(const Verdict& verdict);

/// Of one test of a verdict.
Mark mark_of(const Verdict& verdict, const TestVerdict& test);

/// "2.5 days late", or nothing.
std::string lateness(double days);

}  // namespace pipeline

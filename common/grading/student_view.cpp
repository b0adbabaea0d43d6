#include "grading/student_view.hpp"

#include <algorithm>

#include "classroom/test_report.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

/// What became of an answer as a whole.
std::string headline_of(const Verdict& verdict) {
  const bool cut_short =
      verdict.status == Status::Timeout || verdict.status == Status::Memory;
  if (cut_short && !was_tested(verdict)) {
    return "Compiling your file took more time or memory than it may, so that no test "
           "could run.";
  }
  switch (verdict.status) {
    case Status::Ok:
      return verdict.points() == verdict.of()
                 ? "Every test passes."
                 : "Your file compiles, and its tests ran.";
    case Status::Compile:
      return "Your file does not compile, so that no test could run.";
    case Status::Timeout:
      return "Your code did not come to an end in time.";
    case Status::Crash:
      return "Your code crashed.";
    case Status::Memory:
      return "Your code took more memory than it may.";
    case Status::Missing:
      return "Nothing was handed in.";
    case Status::GraderError:
      break;
  }
  return "Grading failed, and not by your fault: it will be done again. Until then "
         "your "
         "points stay what they were.";
}

/// Why a test did not come to its end.
std::string cut_short(Status ended) {
  switch (ended) {
    case Status::Timeout:
      return "It did not come to an end in time.";
    case Status::Crash:
      return "It crashed.";
    case Status::Memory:
      return "It took more memory than it may.";
    case Status::GraderError:
      return "Grading it failed, and not by your fault.";
    default:
      return "";
  }
}

std::string join(const std::string& above, const std::string& below) {
  return above + (above.empty() || below.empty() ? "" : "\n") + below;
}

std::string text_of(const Gradebook& gradebook, const TestVerdict& test) {
  const std::string why = cut_short(test.ended);
  if (!test.test.drawn) return join(why, without_places(test.message));
  return join(why, std::string("Its inputs were drawn ") +
                       (gradebook.per_student ? "for you alone" : "for this grading") +
                       " and stay secret. Run ./workbook check " +
                       gradebook.exercise.number +
                       " at home: there it draws others, and says what it expected.");
}

}  // namespace

std::string_view to_text(Mark mark) {
  switch (mark) {
    case Mark::Passed:
      return "pass";
    case Mark::Failed:
      return "FAIL";
    case Mark::NotRun:
      break;
  }
  return "not run";
}

bool was_tested(const Verdict& verdict) {
  return verdict.status != Status::Compile && verdict.status != Status::Missing &&
         verdict.status != Status::GraderError && verdict.compiler_errors.empty();
}

Mark mark_of(const Verdict& verdict, const TestVerdict& test) {
  if (!was_tested(verdict) || test.ended == Status::GraderError) return Mark::NotRun;
  return test.passed ? Mark::Passed : Mark::Failed;
}

StudentView view_for_student(const Gradebook& gradebook, const Graded& graded) {
  const Verdict& verdict = graded.verdict;
  StudentView view;
  view.headline = headline_of(verdict);
  view.tested = was_tested(verdict);
  view.compiler_errors = verdict.compiler_errors;
  for (const TestVerdict& test : verdict.tests) {
    const Mark mark = mark_of(verdict, test);
    const bool failed = mark == Mark::Failed;
    if (!test.test.hidden) {
      view.tests.push_back({test_in_words(test.test.name), mark, test.test.points,
                            failed ? text_of(gradebook, test) : std::string()});
      continue;
    }
    ++view.hidden;
    if (mark == Mark::Passed) ++view.hidden_passed;
    const auto known = std::find(view.hints.begin(), view.hints.end(), test.test.hint);
    if (failed && !test.test.hint.empty() && known == view.hints.end()) {
      view.hints.push_back(test.test.hint);
    }
  }
  view.notes = graded.submission.notes;
  for (const std::string& note : verdict.notes) {
    if (std::find(view.notes.begin(), view.notes.end(), note) == view.notes.end()) {
      view.notes.push_back(note);
    }
  }
  return view;
}

std::string lateness(double days) {
  if (days <= 0) return "";
  const std::string text = number(days, 2);
  return text + (text == "1" ? " day late" : " days late");
}

}  // namespace pipeline

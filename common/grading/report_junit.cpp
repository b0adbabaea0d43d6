#include "grading/report_junit.hpp"

#include <algorithm>

#include "classroom/test_report.hpp"
#include "grading/shown.hpp"
#include "grading/student_view.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kLongest = 16 << 10;  // bytes of any one text

struct Counts {
  int tests = 0, failures = 0, errors = 0, skipped = 0;

  std::string attributes() const {
    return " tests=\"" + std::to_string(tests) + "\" failures=\"" +
           std::to_string(failures) + "\" errors=\"" + std::to_string(errors) + "\"";
  }
};

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + markup(visible_line(value)) + "\"";
}

std::string property(const char* name, const std::string& value) {
  return "<property" + attribute("name", name) + attribute("value", value) + "/>\n";
}

/// `failure`, `error` or `skipped`.
std::string outcome(const char* element, std::string_view type,
                    const std::string& message) {
  const std::string text = without_places(message);
  return "<" + std::string(element) + attribute("type", std::string(type)) +
         attribute("message", shortened(text.substr(0, text.find('\n')), 200)) + ">" +
         markup(shortened(text, kLongest)) + "</" + element + ">";
}

std::string outcome_of(const Verdict& verdict, const TestVerdict& test,
                       Counts& counts) {
  ++counts.tests;
  if (!verdict.compiler_errors.empty() || verdict.status == Status::Compile) {
    ++counts.errors;
    return outcome("error", to_text(verdict.status), "the answer does not compile");
  }
  switch (mark_of(verdict, test)) {
    case Mark::Passed:
      return "";
    case Mark::NotRun:
      ++counts.skipped;
      return outcome("skipped", to_text(verdict.status), "not run");
    case Mark::Failed:
      break;
  }
  if (test.ended == Status::Ok) {
    ++counts.failures;
    return outcome("failure", "failed", test.message);
  }
  ++counts.errors;
  const std::string ended(to_text(test.ended));
  return outcome("error", ended, test.message.empty() ? ended : test.message);
}

std::string case_of(const Verdict& verdict, const TestVerdict& test, Counts& counts) {
  const std::string& name = test.test.name;
  const std::size_t dot = std::min(name.find('.'), name.size());
  return "<testcase" + attribute("classname", name.substr(0, dot)) +
         attribute("name", name.substr(std::min(dot + 1, name.size()))) + ">" +
         outcome_of(verdict, test, counts) + "</testcase>\n";
}

std::string suite_of(const Graded& graded, Counts& all) {
  const auto& [submission, verdict] = graded;
  Counts counts;
  std::string inner = "<properties>\n" +
                      property("status", std::string(to_text(verdict.status))) +
                      property("points", std::to_string(verdict.points())) +
                      property("points_possible", std::to_string(verdict.of())) +
                      property("late_days", number(submission.late_days, 2)) +
                      property("mistake", verdict.mistake) +
                      property("sandbox", verdict.tier) + "</properties>\n";
  for (const TestVerdict& test : verdict.tests) {
    inner += case_of(verdict, test, counts);
  }
  std::string said = verdict.compiler_errors;
  for (const std::string& note : submission.notes) said += "\n" + note;
  for (const std::string& note : verdict.notes) said += "\n" + note;
  if (!said.empty()) {
    inner += "<system-err>" + markup(shortened(said, kLongest)) + "</system-err>\n";
  }
  all.tests += counts.tests;
  all.failures += counts.failures;
  all.errors += counts.errors;
  return "<testsuite" + attribute("name", submission.id) + counts.attributes() +
         attribute("skipped", std::to_string(counts.skipped)) + ">\n" + inner +
         "</testsuite>\n";
}

}  // namespace

std::string grades_as_junit(const Gradebook& gradebook) {
  Counts all;
  std::string suites;
  for (const Graded& graded : gradebook.students) suites += suite_of(graded, all);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
         attribute("name", "Exercise " + gradebook.exercise.title()) +
         all.attributes() + ">\n" + suites + "</testsuites>\n";
}

}  // namespace pipeline

#include "grading/report_gradescope.hpp"

#include "classroom/json.hpp"
#include "grading/shown.hpp"
#include "grading/student_view.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kLongest = 16 << 10;  // bytes of any one text

std::string readable(const std::string& text) {
  return visible(shortened(text, kLongest));
}

/// What concerns the whole answer.
std::string output_of(const StudentView& view, const Graded& graded) {
  std::string output = view.headline + "\n";
  if (!view.compiler_errors.empty()) output += "\n" + view.compiler_errors + "\n";
  for (const std::string& hint : view.hints) output += "\nHint: " + hint + "\n";
  for (const std::string& note : view.notes) output += "\nNote: " + note + "\n";
  return output + "\nSandbox: " + graded.verdict.tier + "\n";
}

Json case_of(const std::string& name, bool passed, int points) {
  return {{"name", name},
          {"name_format", "text"},
          {"score", passed ? points : 0},
          {"max_score", points},
          {"status", passed ? "passed" : "failed"}};
}

Json cases_of(const StudentView& view, const Verdict& verdict) {
  Json cases = Json::array();
  for (const ViewedTest& test : view.tests) {
    Json one = case_of(visible_line(test.name), test.mark == Mark::Passed, test.points);
    one["output"] = test.mark == Mark::NotRun ? "not run" : readable(test.text);
    one["output_format"] = "text";
    one["visibility"] = "visible";
    cases.push_back(std::move(one));
  }
  int hidden = 0;
  for (const TestVerdict& test : verdict.tests) {
    if (!test.test.hidden) continue;
    Json one = case_of("Hidden test " + std::to_string(++hidden), test.passed,
                       test.test.points);
    one["visibility"] = "hidden";
    cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace

Expected<std::string> gradescope_results(const Gradebook& gradebook,
                                         const Graded& graded) {
  if (graded.verdict.status == Status::GraderError) {
    return refuse("grading " + visible_line(graded.submission.id) + " failed",
                  "Grade it again; until then the earlier score stands.");
  }
  const StudentView view = view_for_student(gradebook, graded);
  return to_text(Json{{"score", graded.verdict.points()},
                      {"output", readable(output_of(view, graded))},
                      {"output_format", "text"},
                      {"visibility", "visible"},
                      {"stdout_visibility", "hidden"},
                      {"extra_data",
                       {{"exercise", gradebook.exercise.number},
                        {"status", to_text(graded.verdict.status)},
                        {"sandbox", graded.verdict.tier},
                        {"max_score", graded.verdict.of()}}},
                      {"tests", cases_of(view, graded.verdict)}});
}

}  // namespace pipeline

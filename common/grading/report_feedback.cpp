#include "grading/report_feedback.hpp"

#include "grading/class_figures.hpp"
#include "grading/html_page.hpp"
#include "grading/shown.hpp"
#include "grading/student_view.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kLongest = 8 << 10;  // bytes of any one text

std::string head_of(const Gradebook& gradebook, const Graded& graded,
                    const StudentView& view) {
  const auto& [submission, verdict] = graded;
  std::string html = "<header>\n" +
                     element("h1", "Exercise " + gradebook.exercise.title()) + "\n<p>" +
                     isolated(submission.name);
  if (submission.name != submission.id) html += " (" + isolated(submission.id) + ")";
  html += "</p>\n";
  if (verdict.status != Status::GraderError) {
    html += "<p>" + element("span",
                            std::to_string(verdict.points()) + " of " +
                                counted(verdict.of(), "point"),
                            "figure");
    const std::string late = lateness(submission.late_days);
    if (!late.empty())
      html += element("span", ", " + late + " (nothing taken off yet)");
    html += "</p>\n";
  }
  return html + "<p>" + element("strong", view.headline) + "</p>\n</header>\n";
}

std::string_view css_class(Mark mark) {
  if (mark == Mark::Passed) return "chip pass";
  return mark == Mark::Failed ? "chip fail" : "chip idle";
}

std::string test_item(const ViewedTest& test) {
  std::string html =
      "<li>" + element("span", to_text(test.mark), css_class(test.mark)) + " " +
      element("span", visible_line(test.name)) + " " +
      element("span", "(" + counted(test.points, "point") + ")", "quiet");
  if (!test.text.empty()) html += "\n" + preformatted(test.text, kLongest);
  return html + "</li>\n";
}

std::string tests_of(const StudentView& view) {
  std::string html = "<h2>Tests</h2>\n<ul class=\"tests\">\n";
  for (const ViewedTest& test : view.tests) html += test_item(test);
  html += "</ul>\n";
  if (view.hidden > 0) {
    const std::string passed = "Of " + counted(view.hidden, "hidden test") + ", " +
                               std::to_string(view.hidden_passed) + " passed.";
    const std::string idle = counted(view.hidden, "hidden test") + ": not run.";
    html += element("p", view.tested ? passed : idle) + "\n";
  }
  return html;
}

std::string list_of(const std::string& heading, const std::vector<std::string>& items) {
  if (items.empty()) return "";
  std::string html = element("h2", heading) + "\n<ul>\n";
  for (const std::string& item : items) {
    html += element("li", shortened(item, kLongest)) + "\n";
  }
  return html + "</ul>\n";
}

}  // namespace

std::string feedback_page(const Gradebook& gradebook, const Graded& graded) {
  const StudentView view = view_for_student(gradebook, graded);
  HtmlPage page;
  page.title = "Exercise " + gradebook.exercise.title() + ": " + graded.submission.id;
  page.body = head_of(gradebook, graded, view) + "<main>\n";
  if (!view.compiler_errors.empty()) {
    page.body += "<h2>What the compiler said</h2>\n" +
                 preformatted(view.compiler_errors, kLongest);
  }
  if (!view.tests.empty()) page.body += tests_of(view);
  page.body +=
      list_of("Hints", view.hints) + list_of("Notes", view.notes) +
      "</main>\n<footer>\n" +
      element("p",
              "Graded in the sandbox " + sandbox_in_words(graded.verdict.tier) + ".",
              "quiet") +
      "\n</footer>\n";
  return html_page(page);
}

}  // namespace pipeline

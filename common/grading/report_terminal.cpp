#include "grading/report_terminal.hpp"

#include <algorithm>
#include <array>

#include "classroom/test_report.hpp"
#include "grading/class_figures.hpp"
#include "grading/shown.hpp"
#include "grading/student_view.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

//   Student               Status        Points  Late  Tests
//   student-01            ok              9/9         ✓✓✓✓✓✓
//   |0                    |22           |36   |44    |50
constexpr std::size_t kId = 20;
constexpr std::size_t kStatus = 12;
constexpr std::size_t kPoints = 7;
constexpr std::size_t kLate = 5;
constexpr std::size_t kTests = kId + kStatus + kPoints + kLate + 8;

struct Signs {
  std::string passed, failed, timeout, crash, memory, not_run, cut;
};

const Signs& signs(bool ascii) {
  static const Signs kAscii = {"+", "x", "t", "c", "m", ".", "~"};
  static const Signs kUnicode = {"✓", "✗", "t", "c", "m", ".", "…"};
  return ascii ? kAscii : kUnicode;
}

const std::string& sign_of(const Verdict& verdict, const TestVerdict& test,
                           const Signs& signs) {
  const Mark mark = mark_of(verdict, test);
  if (mark == Mark::NotRun) return signs.not_run;
  if (mark == Mark::Passed) return signs.passed;
  switch (test.ended) {
    case Status::Timeout:
      return signs.timeout;
    case Status::Crash:
      return signs.crash;
    case Status::Memory:
      return signs.memory;
    default:
      return signs.failed;
  }
}

/// The first columns of a text: at most `width`, the last one a sign that it is cut.
std::string cut(const std::string& text, std::size_t width, const Signs& signs) {
  if (columns(text) <= width) return text;
  std::string result = text;
  while (columns(result) >= width) {
    while ((static_cast<unsigned char>(result.back()) & 0xC0U) == 0x80U) {
      result.pop_back();
    }
    result.pop_back();
  }
  return result + signs.cut;
}

std::string left(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, columns(text)), ' ');
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, columns(text)), ' ') + text;
}

/// As many signs a line as fit, the same colour once for those in a row.
std::string signs_of(const Verdict& verdict, const Signs& signs, const Look& look) {
  const std::size_t fit = look.width > kTests ? look.width - kTests : 1;
  std::string text;
  for (std::size_t i = 0; i < verdict.tests.size(); ++i) {
    if (i > 0 && i % fit == 0) text += "\n" + std::string(kTests, ' ');
    const std::string& sign = sign_of(verdict, verdict.tests[i], signs);
    const Mark mark = mark_of(verdict, verdict.tests[i]);
    const Tint tint = mark == Mark::Passed   ? Tint::Good
                      : mark == Mark::NotRun ? Tint::Quiet
                                             : Tint::Bad;
    text += tinted(sign, tint, look);
  }
  return text;
}

std::string row_of(const Graded& graded, const Signs& signs, const Look& look) {
  const auto& [submission, verdict] = graded;
  const std::string points =
      verdict.status == Status::GraderError
          ? "-"
          : std::to_string(verdict.points()) + "/" + std::to_string(verdict.of());
  const std::string late =
      submission.late_days > 0 ? number(submission.late_days, 2) : "";
  const std::string status = left(std::string(to_text(verdict.status)), kStatus);
  const Tint tint = verdict.status == Status::Ok ? Tint::Good : Tint::Bad;
  return left(cut(visible_line(submission.id), kId, signs), kId) + "  " +
         tinted(status, tint, look) + "  " + right(points, kPoints) + "  " +
         right(late, kLate) + "  " + signs_of(verdict, signs, look) + "\n";
}

std::string legend(const Signs& signs) {
  return wrap("Tests: " + signs.passed + " passed, " + signs.failed + " failed, " +
              signs.timeout + " timeout, " + signs.crash + " crash, " + signs.memory +
              " memory, " + signs.not_run +
              " not run. Points are raw: nothing is taken "
              "off for late days.");
}

/// A text that begins behind another one, and goes on below itself.
std::string hanging(const std::string& before, const std::string& text) {
  const std::size_t indent = columns(before);
  return before + wrap(text, indent).substr(indent);
}

/// How many of the class passed each test.
std::string tests_as_text(const Gradebook& gradebook, const ClassFigures& figures,
                          const Look& look) {
  std::string text = tinted("  #   Passed by    Points  Test\n", Tint::Strong, look);
  for (std::size_t i = 0; i < gradebook.tests.size(); ++i) {
    const TestInfo& test = gradebook.tests[i];
    const std::string count =
        std::to_string(figures.passed[i]) + "/" + std::to_string(figures.handed_in);
    const std::string kind = test.hidden ? " (hidden)" : test.drawn ? " (drawn)" : "";
    text += hanging(right(std::to_string(i + 1), 3) +
                        right(percent(figures.passed[i], figures.handed_in), 7) + " " +
                        left(count, 8) + right(std::to_string(test.points), 6) + "  ",
                    visible_line(test_in_words(test.name)) + kind);
  }
  return text;
}

std::string mistakes_as_text(const ClassFigures& figures, const Look& look) {
  std::string text = tinted("  Fell for  Mistake\n", Tint::Strong, look);
  const auto line = [&](std::size_t count, const std::string& name) {
    text += hanging(right(std::to_string(count), 10) + "  ", name);
  };
  for (const MistakeCount& count : figures.mistakes) {
    line(count.students.size(), visible_line(count.mistake.name));
  }
  line(static_cast<std::size_t>(figures.unexplained), "(failed, and by none of these)");
  return text;
}

std::string figures_as_text(const Gradebook& gradebook, const ClassFigures& figures) {
  std::string statuses;
  for (std::size_t i = 0; i < kStatuses.size(); ++i) {
    if (figures.statuses[i] == 0) continue;
    statuses += (statuses.empty() ? "" : ", ") + std::string(to_text(kStatuses[i])) +
                " " + std::to_string(figures.statuses[i]);
  }
  return wrap("Of " + counted(static_cast<int>(gradebook.students.size()), "student") +
              ": " + (statuses.empty() ? "none" : statuses) + ".") +
         wrap("Of " + std::to_string(figures.handed_in) + " handed in: mean " +
              number(figures.mean, 1) + " and median " + number(figures.median, 1) +
              " of " + counted(gradebook.of(), "point") + ".") +
         wrap("Sandbox: " + sandbox_in_words(gradebook.tier) + "." +
              (gradebook.per_student ? " Inputs were drawn for each student apart."
                                     : ""));
}

}  // namespace

std::string class_as_text(const Gradebook& gradebook, const Look& look) {
  const ClassFigures figures = figures_of(gradebook);
  return tests_as_text(gradebook, figures, look) + "\n" +
         mistakes_as_text(figures, look) + "\n" + figures_as_text(gradebook, figures);
}

std::string grades_as_text(const Gradebook& gradebook, const Look& look, bool ascii) {
  const Signs& used = signs(ascii);
  std::string text =
      "Exercise " + gradebook.exercise.title() + "\n\n" +
      tinted(left("Student", kId) + "  " + left("Status", kStatus) + "  " +
                 right("Points", kPoints) + "  " + right("Late", kLate) + "  Tests\n",
             Tint::Strong, look);
  for (const Graded& graded : gradebook.students) text += row_of(graded, used, look);
  return text + legend(used) + "\n" + class_as_text(gradebook, look);
}

}  // namespace pipeline

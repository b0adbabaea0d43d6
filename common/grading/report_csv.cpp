#include "grading/report_csv.hpp"

#include "grading/class_figures.hpp"
#include "grading/csv.hpp"
#include "grading/shown.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

/// What a test earned; nothing where the grader failed.
std::string earned(const TestVerdict& test, bool counts) {
  if (!counts) return "";
  return std::to_string(test.passed ? test.test.points : 0);
}

CsvRow row_of(const Graded& graded) {
  const auto& [submission, verdict] = graded;
  const bool counts = verdict.status != Status::GraderError;
  CsvRow row = {harmless_cell(submission.id),
                harmless_cell(submission.name),
                std::string(to_text(verdict.status)),
                counts ? std::to_string(verdict.points()) : "",
                number(submission.late_days, 2),
                harmless_cell(verdict.mistake),
                harmless_cell(verdict.tier)};
  for (const TestVerdict& test : verdict.tests) row.push_back(earned(test, counts));
  return row;
}

}  // namespace

std::string grades_as_csv(const Gradebook& gradebook) {
  CsvRow header = {"id", "name", "status", "points", "late_days", "mistake", "sandbox"};
  CsvRow possible = {
      "Points possible", "", "", std::to_string(gradebook.of()), "", "", ""};
  for (const TestInfo& test : gradebook.tests) {
    header.push_back(harmless_cell(test.name));
    possible.push_back(std::to_string(test.points));
  }
  std::string table = to_csv(header) + to_csv(possible);
  for (const Graded& graded : gradebook.students) table += to_csv(row_of(graded));
  return table;
}

std::string mistakes_as_csv(const Gradebook& gradebook) {
  const ClassFigures figures = figures_of(gradebook);
  const std::string handed_in = std::to_string(figures.handed_in);
  std::string table = to_csv({"mistake", "what", "students", "handed_in"});
  for (const MistakeCount& count : figures.mistakes) {
    table +=
        to_csv({harmless_cell(count.mistake.file), harmless_cell(count.mistake.name),
                std::to_string(count.students.size()), handed_in});
  }
  return table + to_csv({"", "none of the named ones",
                         std::to_string(figures.unexplained), handed_in});
}

std::string times_as_csv(const Gradebook& gradebook) {
  std::string table = to_csv({"id", "cpu_seconds", "wall_seconds"});
  for (const Graded& graded : gradebook.students) {
    table += to_csv({harmless_cell(graded.submission.id),
                     number(graded.verdict.cpu_seconds, 3),
                     number(graded.verdict.wall_seconds, 3)});
  }
  return table;
}

}  // namespace pipeline

#include "grading/class_figures.hpp"

#include <algorithm>

#include "grading/sandbox.hpp"
#include "grading/shown.hpp"
#include "grading/student_view.hpp"

namespace pipeline {
namespace {

double median_of(std::vector<int> points) {
  if (points.empty()) return 0;
  std::sort(points.begin(), points.end());
  const std::size_t middle = points.size() / 2;
  if (points.size() % 2 == 1) return points[middle];
  return (points[middle - 1] + points[middle]) / 2.0;
}

bool judged(Status status) {
  return status != Status::Missing && status != Status::GraderError;
}

/// The place of a verdict's test in the gradebook's list.
void count_passed(const Gradebook& gradebook, const Verdict& verdict,
                  std::vector<int>& passed) {
  for (const TestVerdict& test : verdict.tests) {
    const auto found =
        std::find_if(gradebook.tests.begin(), gradebook.tests.end(),
                     [&](const TestInfo& info) { return info.name == test.test.name; });
    if (found == gradebook.tests.end() || mark_of(verdict, test) != Mark::Passed) {
      continue;
    }
    ++passed[static_cast<std::size_t>(found - gradebook.tests.begin())];
  }
}

}  // namespace

ClassFigures figures_of(const Gradebook& gradebook) {
  ClassFigures figures;
  figures.passed.resize(gradebook.tests.size());
  for (const Mistake& mistake : gradebook.mistakes) {
    figures.mistakes.push_back({mistake, {}});
  }
  std::vector<int> points;
  for (const Graded& graded : gradebook.students) {
    const Verdict& verdict = graded.verdict;
    ++figures.statuses[static_cast<std::size_t>(verdict.status)];
    if (!judged(verdict.status)) continue;
    points.push_back(verdict.points());
    count_passed(gradebook, verdict, figures.passed);
    const auto named = std::find_if(figures.mistakes.begin(), figures.mistakes.end(),
                                    [&](const MistakeCount& count) {
                                      return count.mistake.file == verdict.mistake;
                                    });
    if (named != figures.mistakes.end()) {
      named->students.push_back(&graded);
    } else if (was_tested(verdict) && verdict.points() < verdict.of()) {
      ++figures.unexplained;
    }
  }
  figures.handed_in = static_cast<int>(points.size());
  for (const int earned : points) figures.mean += earned;
  if (!points.empty()) figures.mean /= static_cast<double>(points.size());
  figures.median = median_of(points);
  std::stable_sort(figures.mistakes.begin(), figures.mistakes.end(),
                   [](const MistakeCount& a, const MistakeCount& b) {
                     if (a.students.size() != b.students.size()) {
                       return a.students.size() > b.students.size();
                     }
                     return a.mistake.file < b.mistake.file;
                   });
  return figures;
}

std::string percent(int part, int of) {
  if (of == 0) return "-";
  int hundredths = static_cast<int>((200LL * part + of) / (2LL * of));
  if (part < of) hundredths = std::min(hundredths, 99);
  if (part > 0) hundredths = std::max(hundredths, 1);
  return std::to_string(hundredths) + " %";
}

std::string sandbox_in_words(std::string_view tier) {
  if (tier == to_text(Tier::OwnUser)) {
    return "own-user (another user and limits, no namespaces)";
  }
  if (tier == to_text(Tier::Unsafe)) {
    return "unsafe (limits alone: an answer could reach the grader's own files)";
  }
  return visible_line(tier);
}

}  // namespace pipeline

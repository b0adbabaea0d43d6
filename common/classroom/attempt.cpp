#include "classroom/attempt.hpp"

#include <algorithm>
#include <string_view>

#include "classroom/compile_errors.hpp"
#include "classroom/files.hpp"
#include "classroom/json.hpp"
#include "classroom/process.hpp"
#include "classroom/progress.hpp"
#include "classroom/proof.hpp"
#include "classroom/update.hpp"

namespace pipeline {
namespace {

constexpr double kTimeout = 20;  // seconds

std::string worth(int points) {
  return std::to_string(points) + (points == 1 ? " point" : " points");
}

/// Paths of the checkout as they read from its folder.
std::string without_root(std::string text, const std::string& root) {
  const std::string prefix = root + "/";
  for (std::size_t at = text.find(prefix); at != text.npos;
       at = text.find(prefix, at)) {
    text.erase(at, prefix.size());
  }
  return text;
}

/// Why the tests did not come to an end, with the last one that was begun.
std::string broke_off(const Trial& trial) {
  const std::string& output = trial.process.output;
  const std::string begun = "[ RUN      ] ";
  const std::size_t at = output.rfind(begun);
  std::string where = ".";
  if (at != std::string::npos) {
    const std::size_t name = at + begun.size();
    where =
        " in the test \"" +
        harmless(test_in_words(output.substr(name, output.find('\n', name) - name))) +
        "\".";
  }
  if (trial.process.timed_out) {
    return "Your answer was still running after 20 seconds" + where +
           "\nIs there a loop that never ends?";
  }
  return "Your answer crashed" + where +
         "\nIs an index out of range, or something empty that you use?";
}

const TestCase* first_failure(const TestReport& report) {
  const auto found = std::find_if(
      report.cases.begin(), report.cases.end(),
      [](const TestCase& test) { return test.outcome != Outcome::Passed; });
  return found == report.cases.end() ? nullptr : &*found;
}

std::string test_lines(const TestReport& report, const Look& look) {
  constexpr std::size_t kName = 18;  // the column where names begin
  std::string text;
  for (const TestCase& test : report.cases) {
    const bool passed = test.outcome == Outcome::Passed;
    std::string points = test.points == 0 ? std::string() : worth(test.points);
    points.resize(kName - 8, ' ');
    text += "  " +
            tinted(passed ? "pass" : "FAIL", passed ? Tint::Good : Tint::Bad, look) +
            "  " + points +
            wrap(test_in_words(test.name), kName, kName, look.width).substr(kName);
  }
  return text;
}

}  // namespace

bool Attempt::solved() const {
  return end == End::Tested && !report.cases.empty() &&
         first_failure(report) == nullptr;
}

Expected<Attempt> attempt_exercise(const Workspace& at, const Unit& exercise,
                                   const std::function<bool()>& unwanted) {
  const auto answer = read_answer(at, exercise);
  if (!answer) return tl::unexpected(answer.error());
  const std::string target = "ex" + exercise.number;
  Attempt attempt;
  attempt.answer = *answer;
  const auto stopped = [&] { return interrupted() || (unwanted && unwanted()); };
  const BuildResult built = build_targets(at.build, {target}, OnError::Stop, unwanted);
  if (stopped()) return attempt;
  if (!built.good) {
    attempt.end = Attempt::End::DoesNotCompile;
    attempt.said = without_root(compiler_errors(built.output), at.root.string());
    return attempt;
  }
  show_status("running the tests");
  const Trial trial =
      run_tests(at.build / "exercises" / target, kTimeout, {}, {}, unwanted);
  show_status("");
  if (stopped()) return attempt;
  if (!trial.report) {
    attempt.end = Attempt::End::BrokeOff;
    attempt.said = broke_off(trial);
    return attempt;
  }
  attempt.end = Attempt::End::Tested;
  attempt.report = *trial.report;
  return attempt;
}

Expected<void> remember(const Workspace& at, const Unit& exercise,
                        const Attempt& attempt) {
  const auto now = read_answer(at, exercise);
  if (attempt.end == Attempt::End::Stopped || !now || *now != attempt.answer) return {};
  return remember_attempt(at, exercise, attempt.answer, attempt.solved()).and_then([&] {
    return remember_starters(at);
  });
}

std::string first_to_mend(const Unit& exercise, const Attempt& attempt,
                          const Look& look) {
  if (attempt.end == Attempt::End::DoesNotCompile) {
    return tinted("Your file does not compile yet.", Tint::Bad, look) + "\n\n" +
           errors_in_short(attempt.said, exercise.folder() + "/exercise.cpp",
                           look.width);
  }
  if (attempt.end == Attempt::End::BrokeOff) {
    return wrap(attempt.said, 0, 0, look.width);
  }
  const TestCase* first = first_failure(attempt.report);
  if (first == nullptr) return "";
  const std::string label = "First to mend: ";
  return tinted(label, Tint::Strong, look) +
         wrap(std::string(label.size(), ' ') + test_in_words(first->name), 0, 0,
              look.width)
             .substr(label.size()) +
         wrap(harmless(without_places(first->message)), 4, 4, look.width);
}

std::string score_of(const Attempt& attempt) {
  const TestReport& report = attempt.report;
  return std::to_string(report.count(Outcome::Passed)) + " of " +
         std::to_string(report.cases.size()) + " tests pass, " +
         std::to_string(report.points_earned()) + " of " + worth(report.points()) + ".";
}

std::string attempt_as_text(const Unit& exercise, const Attempt& attempt,
                            const Look& look) {
  std::string text =
      tinted("Exercise " + exercise.title(), Tint::Strong, look) + "\n\n";
  const bool tested = attempt.end == Attempt::End::Tested;
  if (tested) text += test_lines(attempt.report, look);
  const std::string mend = first_to_mend(exercise, attempt, look);
  if (!mend.empty()) text += (tested ? "\n" : "") + mend;
  text += "\n";
  if (tested) {
    text += std::to_string(attempt.report.points_earned()) + " of " +
            worth(attempt.report.points()) + ". ";
  }
  return text +
         (attempt.solved() ? tinted("Solved!", Tint::Good, look) +
                                 " Why it is so: ./workbook solution " + exercise.number
                           : "Stuck? ./workbook hint " + exercise.number) +
         "\n";
}

std::string attempt_as_json(const Unit& exercise, const Attempt& attempt) {
  const bool tested = attempt.end == Attempt::End::Tested;
  Json json = {{"exercise", exercise.number},
               {"solved", attempt.solved()},
               {"points", attempt.report.points_earned()},
               {"of", tested ? Json(attempt.report.points()) : Json(nullptr)},
               {"tests", Json::array()}};
  for (const TestCase& test : attempt.report.cases) {
    json["tests"].push_back(
        {{"name", test.name},
         {"outcome", test.outcome == Outcome::Passed ? "passed" : "failed"},
         {"points", test.points},
         {"message", without_places(test.message)}});
  }
  if (!tested) {
    json["error"] = attempt.end == Attempt::End::DoesNotCompile
                        ? "Your file does not compile yet:\n" + attempt.said
                        : attempt.said;
  }
  return to_text(json);
}

}  // namespace pipeline

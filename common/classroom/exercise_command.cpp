// workbook check, hint, reset, solution: working on one exercise.

#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/json.hpp"
#include "classroom/progress.hpp"
#include "classroom/proof.hpp"
#include "classroom/starter.hpp"

namespace pipeline {
namespace {

constexpr double kCheckTimeout = 20;  // seconds

/// What `check` was asked for: a number, or the first exercise that is not solved.
Expected<Unit> choose_exercise(const Workspace& at, const std::string& number) {
  const std::vector<Unit> all = list_units(at.root, "exercises");
  if (!number.empty()) return find_unit(all, "exercise", number);
  for (const Unit& exercise : all) {
    if (exercise_state(at, exercise) != ExerciseState::Solved) return exercise;
  }
  if (all.empty()) return refuse("there is no exercise here", "See ./workbook list.");
  return refuse("every exercise is solved", "Name one to check it again, such as 01.");
}

/// GoogleTest begins a message with the file and line of the test: of no use to a
/// student, who is not to change it.
std::string kind_message(const std::string& message) {
  const std::size_t end = message.find('\n');
  return end == std::string::npos ? message : message.substr(end + 1);
}

std::string worth(int points) {
  return std::to_string(points) + (points == 1 ? " point" : " points");
}

/// "TickCount.IsSix" as "tick count is six".
std::string name_in_words(const std::string& full_name) {
  const std::size_t dot = full_name.find('.');
  return sentence(full_name.substr(0, dot)) + " " + sentence(full_name.substr(dot + 1));
}

/// A line for each test, then the first failure in full: one thing at a time.
std::string result_text(const Unit& exercise, const TestReport& report) {
  constexpr std::size_t kName = 18;  // the column where names begin
  std::string text = "Exercise " + exercise.title() + "\n\n";
  const TestCase* first = nullptr;
  for (const TestCase& test : report.cases) {
    const bool passed = test.outcome == Outcome::Passed;
    if (!passed && first == nullptr) first = &test;
    std::string line = (passed ? "  pass  " : "  FAIL  ") +
                       (test.points == 0 ? std::string() : worth(test.points));
    line.resize(kName, ' ');
    text += line + wrap(name_in_words(test.name), kName, 0);
  }
  if (first != nullptr) {
    text += "\n" + wrap("First to mend: " + name_in_words(first->name)) +
            wrap(kind_message(first->message), 4);
  }
  text += "\n" + std::to_string(report.points_earned()) + " of " +
          worth(report.points()) + ".";
  return text +
         (first == nullptr
              ? " Solved! Why it is so: ./workbook solution " + exercise.number
              : " Stuck? ./workbook hint " + exercise.number) +
         "\n";
}

/// {"exercise", "solved", "points", "of", "tests": [{"name", "outcome", "points",
/// "message"}, …]}, and "error" where no test could run
std::string result_json(const Unit& exercise, const TestReport& report, bool solved) {
  Json json = {{"exercise", exercise.number},
               {"solved", solved},
               {"points", report.points_earned()},
               {"of", report.points()},
               {"tests", Json::array()}};
  for (const TestCase& test : report.cases) {
    json["tests"].push_back(
        {{"name", test.name},
         {"outcome", test.outcome == Outcome::Passed ? "passed" : "failed"},
         {"points", test.points},
         {"message", kind_message(test.message)}});
  }
  return to_text(json);
}

/// There is nothing to count: the answer does not compile, or it crashed.
int no_result(const Unit& exercise, bool as_json, const std::string& what,
              const std::string& output) {
  if (as_json) {
    print(to_text(Json{{"exercise", exercise.number},
                       {"solved", false},
                       {"points", 0},
                       {"of", nullptr},
                       {"tests", Json::array()},
                       {"error", what + "\n" + output}}));
    return kFailed;
  }
  print("Exercise " + exercise.title() + "\n\n" + what + "\n" +
        (output.empty() ? "" : "\n" + output) + "\nStuck? ./workbook hint " +
        exercise.number + "\n");
  return kFailed;
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
    where = " in the test \"" +
            name_in_words(output.substr(name, output.find('\n', name) - name)) + "\".";
  }
  if (trial.process.timed_out) {
    return "Your answer was still running after 20 seconds" + where +
           "\nIs there a loop that never ends?";
  }
  return "Your answer crashed" + where +
         "\nIs an index out of range, or something empty that you use?";
}

}  // namespace

int check_command(const Workspace& at, const std::string& number, bool as_json) {
  const auto exercise = choose_exercise(at, number);
  if (!exercise) return complain(exercise.error());
  if (!read_file(answer_path(at, *exercise))) {
    return complain({"exercises/" + exercise->folder() + "/exercise.cpp is gone",
                     "Put it back: ./workbook reset " + exercise->number});
  }
  const std::string target = "ex" + exercise->number;
  const BuildResult built = build_targets(at.build, {target});
  if (interrupted()) return kInterrupted;
  if (!built.good) {
    return no_result(*exercise, as_json, "Your file does not compile yet:",
                     without_root(compiler_errors(built.output), at.root.string()));
  }
  show_status("running the tests");
  const Trial trial = run_tests(at.build / "exercises" / target, kCheckTimeout);
  if (interrupted()) return kInterrupted;
  if (!trial.report) return no_result(*exercise, as_json, broke_off(trial), "");
  const bool solved =
      !trial.report->cases.empty() && trial.report->count(Outcome::Passed) ==
                                          static_cast<int>(trial.report->cases.size());
  print(as_json ? result_json(*exercise, *trial.report, solved)
                : result_text(*exercise, *trial.report));
  if (!solved) return kFailed;
  const auto remembered = remember_solved(at, *exercise);
  return remembered ? kGood : complain(remembered.error());
}

int hint_command(const Workspace& at, const std::string& number) {
  const auto exercise = find_unit(list_units(at.root, "exercises"), "exercise", number);
  if (!exercise) return complain(exercise.error());
  const auto readme =
      read_file(at.root / "exercises" / exercise->folder() / "README.md");
  if (!readme) return complain(readme.error());
  const std::vector<std::string> hints = parse_hints(*readme);
  if (hints.empty()) {
    return complain(
        {"exercise " + exercise->number + " has no hints",
         "Read its chapter once more: ./workbook run " + exercise->chapter()});
  }
  const std::size_t shown = hints_shown(at, *exercise);
  const std::string of = " of " + std::to_string(hints.size());
  if (shown < hints.size()) {
    print("Hint " + std::to_string(shown + 1) + of + "\n\n" + wrap(hints[shown], 2));
    const auto remembered = remember_hints(at, *exercise, shown + 1);
    return remembered ? kGood : complain(remembered.error());
  }
  std::string all = "These were all of them:\n";
  for (std::size_t i = 0; i < hints.size(); ++i) {
    all += "\nHint " + std::to_string(i + 1) + of + "\n\n" + wrap(hints[i], 2);
  }
  print(all + "\nThe answer, with its reasons: ./workbook solution " +
        exercise->number + "\n");
  return kGood;
}

int reset_command(const Workspace& at, const std::string& number) {
  const auto exercise = find_unit(list_units(at.root, "exercises"), "exercise", number);
  if (!exercise) return complain(exercise.error());
  const auto kept = reset_exercise(at, *exercise);
  if (!kept) return complain(kept.error());
  print("exercises/" + exercise->folder() + "/exercise.cpp is the starter again.\n" +
        (kept->empty()
             ? std::string()
             : "Yours is kept: " + kept->lexically_relative(at.root).string() + "\n"));
  return kGood;
}

int solution_command(const Workspace& at, const std::string& number) {
  const auto exercise = find_unit(list_units(at.root, "exercises"), "exercise", number);
  if (!exercise) return complain(exercise.error());
  const auto text = read_file(solution_path(at, *exercise));
  if (!text) return complain(text.error());
  print(without_marks(*text));
  return kGood;
}

}  // namespace pipeline

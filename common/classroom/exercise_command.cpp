// workbook check, hint, reset, solution, update: working on exercises.
#include <algorithm>
#include <cstdio>

#include "classroom/attempt.hpp"
#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/process.hpp"
#include "classroom/progress.hpp"
#include "classroom/starter.hpp"
#include "classroom/update.hpp"

namespace pipeline {
namespace {

/// What is to be said beside the results, on stderr.
void warn(const std::string& text) {
  if (text.empty()) return;
  show_status("");
  std::fputs(("workbook: " + text).c_str(), stderr);
}

}  // namespace

int check_command(const Workspace& at, const std::string& number, bool as_json) {
  const auto exercise = choose_exercise(at, number);
  if (!exercise) return complain(exercise.error());
  warn(damage_in_words(at));
  const auto attempt = attempt_exercise(at, *exercise);
  if (!attempt) return complain(attempt.error());
  if (interrupted()) return kInterrupted;
  print(as_json ? attempt_as_json(*exercise, *attempt)
                : attempt_as_text(*exercise, *attempt, look_of_stdout()));
  if (!attempt->solved() && update_is_due(at, *exercise)) {
    warn(
        "the exercise has a new starter, which your file was not begun from\n"
        "Take it in: ./workbook update\n");
  }
  const auto remembered = remember(at, *exercise, *attempt);
  if (!remembered) return complain(remembered.error());
  return attempt->solved() ? kGood : kFailed;
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
  warn(damage_in_words(at));
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

namespace {

/// Why the solution is not shown yet, and the two ways to it.
Error not_yet(const Workspace& at, const Unit& exercise) {
  const auto readme =
      read_file(at.root / "exercises" / exercise.folder() / "README.md");
  const std::size_t hints = readme ? parse_hints(*readme).size() : 0;
  const std::size_t shown = std::min(hints, hints_shown(at, exercise));
  const std::string& number = exercise.number;
  const std::string all_the_same =
      "Read it all the same: ./workbook solution " + number + " --spoil";
  if (shown == hints) {
    return {"exercise " + number + " has not passed yet", all_the_same};
  }
  return {"exercise " + number + " has not passed yet, and " +
              std::to_string(hints - shown) + " of its " + std::to_string(hints) +
              " hints are left",
          "The next hint: ./workbook hint " + number + "\n" + all_the_same};
}

}  // namespace

int solution_command(const Workspace& at, const std::string& number, bool spoil) {
  const auto exercise = find_unit(list_units(at.root, "exercises"), "exercise", number);
  if (!exercise) return complain(exercise.error());
  if (!spoil && !has_passed(at, *exercise)) return complain(not_yet(at, *exercise));
  const auto text = read_file(solution_path(at, *exercise));
  if (!text) return complain(text.error());
  print(without_marks(*text));
  return kGood;
}

namespace {

/// "line 14", "lines 14 and 40", "lines 3, 14 and 40"
std::string lines_in_words(const std::vector<std::size_t>& lines) {
  std::string text = lines.size() == 1 ? "line " : "lines ";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += i + 1 == lines.size() ? " and " : ", ";
    text += std::to_string(lines[i]);
  }
  return text;
}

std::string update_in_words(const Update& update) {
  const std::string name = "exercises/" + update.exercise.folder() + "/exercise.cpp";
  const std::string kept = "Yours as it was: " + update.kept.string();
  switch (update.kind) {
    case Update::Kind::Current:
      return "";
    case Update::Kind::Fresh:
      return "the new starter; you had not begun";
    case Update::Kind::Merged:
      return (update.restored ? "what you wrote, which the release had overwritten, "
                                "with the new starter's changes"
                              : "the new starter's changes are in your file") +
             std::string(update.kept.empty() ? "" : "\n" + kept);
    case Update::Kind::Conflicts:
      return "you and the new starter changed the same lines: settle " + name + ", " +
             lines_in_words(update.lines) + ", where <<<<<<< stands" +
             (update.kept.empty() ? "" : "\n" + kept);
    case Update::Kind::Beside:
      return "there is neither git nor diff3 here to merge with: your file is as it "
             "was\nThe new starter: " +
             update.kept.string();
    case Update::Kind::Unsettled:
      return "left as it is: " + name + " has marks of a merge at " +
             lines_in_words(update.lines) + "\nSettle them, then update again.";
    case Update::Kind::Failed:
      return "not updated: " + update.error.what + "\n" + update.error.remedy;
  }
  return "";
}

}  // namespace

int update_command(const Workspace& at) {
  warn(damage_in_words(at));
  std::size_t done = 0;
  bool merged = false;
  int exit_code = kGood;
  for (const Unit& exercise : list_units(at.root, "exercises")) {
    if (interrupted()) return kInterrupted;
    const Update update = update_exercise(at, exercise);
    if (update.kind == Update::Kind::Current) continue;
    ++done;
    print(exercise.title() + "\n" + wrap(update_in_words(update), 4));
    merged = merged || update.kind == Update::Kind::Merged;
    if (update.kind == Update::Kind::Failed) {
      exit_code = kBadUsage;
    } else if (update.kind != Update::Kind::Fresh &&
               update.kind != Update::Kind::Merged && exit_code == kGood) {
      exit_code = kFailed;
    }
  }
  const auto remembered = remember_starters(at);
  if (!remembered) return complain(remembered.error());
  if (done == 0) print("Your files are up to date with this release.\n");
  if (merged) print("\nSee whether all still passes: ./workbook watch\n");
  return exit_code;
}

}  // namespace pipeline

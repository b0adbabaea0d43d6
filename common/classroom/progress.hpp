/// \file
/// How far a student has come. Kept in .workbook/ beside the checkout's own files, all
/// of it plain text:
///
///     .workbook/progress.txt           a line an exercise: see progress_file.hpp
///     .workbook/solved/01_ticks.cpp    the answer that passed
///     .workbook/tried/01_ticks.cpp     the answer as `check` saw it last
///     .workbook/starter/01_ticks.cpp   the starter that the answer was begun from
///     .workbook/backup/                what `reset` and `update` put aside
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/catalogue.hpp"
#include "classroom/progress_file.hpp"
#include "classroom/workspace.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// How far an exercise is.
enum class ExerciseState {
  NotStarted,  ///< the file is the starter
  InProgress,  ///< the file is neither the starter nor the answer that passed
  Solved,      ///< the file is the answer that `check` saw pass
};

/// "not started", "in progress", "solved".
std::string_view to_text(ExerciseState state);

/// The student's file, the solution, and what is kept of the file.
std::filesystem::path answer_path(const Workspace& at, const Unit& exercise);
/// The workbook's solution.
std::filesystem::path solution_path(const Workspace& at, const Unit& exercise);
/// The answer as `check` saw it last.
std::filesystem::path tried_path(const Workspace& at, const Unit& exercise);
/// The starter that the answer was begun from.
std::filesystem::path begun_from_path(const Workspace& at, const Unit& exercise);

/// The student's file. Refuses one that is gone, a folder in its place, and one that
/// may not be read.
Expected<std::string> read_answer(const Workspace& at, const Unit& exercise);

/// The starter of this release, derived from the solution.
Expected<std::string> starter_of(const Workspace& at, const Unit& exercise);

/// From the files as they are now.
ExerciseState exercise_state(const Workspace& at, const Unit& exercise);

/// Where an exercise stands, for lists of them.
struct Standing {
  Unit exercise;                                    ///< which one
  ExerciseState state = ExerciseState::NotStarted;  ///< how far it is
  std::size_t hints = 0;                            ///< that were shown
};

/// All exercises, and where to go on.
struct Standings {
  std::vector<Standing> all;  ///< in the order of their numbers
  std::string current;        ///< an exercise's number, or empty

  /// How many are solved.
  std::size_t solved() const;
  /// What to do next: go on with the current one, else with what was begun, else with
  /// the first that is open. Null when all are solved.
  const Standing* next() const;
  /// The next open one in order behind `number`, round to the front; null if none.
  const Standing* after(std::string_view number) const;
};
/// From the files as they are now, and from .workbook.
Standings read_standings(const Workspace& at);

/// The exercise of that number or, for an empty one, the next. Refused when there is no
/// such exercise, and when every one is solved.
Expected<Unit> choose_exercise(const Workspace& at, const std::string& number);

/// What .workbook/progress.txt says; where it is not there yet, what an older release
/// of the workbook kept.
ProgressRecord read_progress(const Workspace& at);

/// One line that names the damage in progress.txt and one of what to do; empty when
/// there is none.
std::string damage_in_words(const Workspace& at);

/// Remembers a try: the answer as it was judged, that it passed, and that this exercise
/// is the current one. Nothing is written that is there already.
Expected<void> remember_attempt(const Workspace& at, const Unit& exercise,
                                const std::string& answer, bool solved);

/// That this exercise is where `watch` and `check` go on.
Expected<void> remember_current(const Workspace& at, const Unit& exercise);

/// How many hints of an exercise were shown, and counting one more.
std::size_t hints_shown(const Workspace& at, const Unit& exercise);
/// Remembers that so many were shown.
Expected<void> remember_hints(const Workspace& at, const Unit& exercise,
                              std::size_t shown);

/// Whether an answer to this exercise ever passed.
bool has_passed(const Workspace& at, const Unit& exercise);

/// Keeps a text in .workbook/backup under a name of the exercise and the time that is
/// not taken yet; the result is where.
Expected<std::filesystem::path> back_up(const Workspace& at, const Unit& exercise,
                                        const std::string& text);

/// Writes a file of .workbook, with its folder, unless it holds that text already.
Expected<void> keep_file(const std::filesystem::path& path, const std::string& text);

/// Puts the starter back. A file that is not the starter is kept first; the result is
/// where, and empty when there was nothing to keep. On a refusal nothing has changed.
Expected<std::filesystem::path> reset_exercise(const Workspace& at,
                                               const Unit& exercise);

}  // namespace pipeline

/// \file
/// How far a student has come. Kept in .workbook/ beside the checkout's own files:
///
///     .workbook/hints.json            {"01": 2}: hints that were shown
///     .workbook/solved/01_ticks.cpp   the answer that passed
///     .workbook/backup/               what `reset` put aside
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "classroom/catalogue.hpp"
#include "classroom/workspace.hpp"
#include "schedule/error.hpp"

namespace pipeline {

enum class ExerciseState {
  NotStarted,  ///< the file is the starter
  InProgress,
  Solved,  ///< the file is the answer that `check` saw pass
};

std::string_view to_text(ExerciseState state);

/// The student's file, the solution, and where the passed answer is kept.
std::filesystem::path answer_path(const Workspace& at, const Unit& exercise);
std::filesystem::path solution_path(const Workspace& at, const Unit& exercise);

ExerciseState exercise_state(const Workspace& at, const Unit& exercise);

/// Remembers that the student's file passes as it is now.
Expected<void> remember_solved(const Workspace& at, const Unit& exercise);

/// How many hints of an exercise were shown, and counting one more.
std::size_t hints_shown(const Workspace& at, const Unit& exercise);
Expected<void> remember_hints(const Workspace& at, const Unit& exercise,
                              std::size_t shown);

/// Puts the starter back. A file that is not the starter is kept first; the result is
/// where, and empty when there was nothing to keep. On a refusal nothing has changed.
Expected<std::filesystem::path> reset_exercise(const Workspace& at,
                                               const Unit& exercise);

}  // namespace pipeline

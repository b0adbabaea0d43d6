/// \file
/// A new release of the workbook, and what a student has written: the new starters are
/// merged into the student's files.
///
///     starter that it was begun from ─┬─► the student's file ─┐
///        (.workbook/starter)          │                       ├─► merged
///                                     └─► the new starter ────┘
///
/// Whatever is replaced is in .workbook/backup before. A run that was ended in between
/// is taken up by the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "classroom/catalogue.hpp"
#include "classroom/workspace.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// What `update` did to one exercise.
struct Update {
  /// What became of the student's file.
  enum class Kind : std::uint8_t {
    Current,    ///< nothing to do
    Fresh,      ///< not begun: it is the new starter now
    Merged,     ///< the new starter's changes are in the student's file
    Conflicts,  ///< the same, with marks at `lines` to be settled
    Beside,     ///< no program to merge: the file is as it was, the new starter beside
    Unsettled,  ///< the file still has marks of a merge at `lines`: left as it is
    Failed,     ///< `error` says why; the file is as it was
  };
  Unit exercise;              ///< which one
  Kind kind = Kind::Current;  ///< which of these
  /// The release was unpacked over the student's file, and what `check` saw last was
  /// taken in its place.
  bool restored = false;
  std::vector<std::size_t> lines;  ///< from 1
  /// Relative to the checkout: where the student's file is kept, or for Beside the new
  /// starter.
  std::filesystem::path kept;
  Error error;  ///< of Failed
};

/// Whether `update` has something to do for the exercise.
bool update_is_due(const Workspace& at, const Unit& exercise);
/// The same for any exercise.
bool update_is_due(const Workspace& at);

/// Merges the new starter into the student's file.
Update update_exercise(const Workspace& at, const Unit& exercise);

/// Remembers which starters the files that nobody has edited yet are, so that a later
/// `update` knows what they were begun from.
Expected<void> remember_starters(const Workspace& at);

}  // namespace pipeline

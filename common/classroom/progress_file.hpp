/// \file
/// The text of .workbook/progress.txt: a line for each exercise that was begun.
///
///     # comment
///     01   solved  2 hints
///     02   begun   0 hints  current
///     10t  begun   1 hint
///
/// `solved`: `check` saw it pass, at least once. Then how many hints were shown. One
/// line may say `current`: where `watch` and `check` go on.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pipeline {

/// What is remembered of one exercise.
struct ExerciseRecord {
  bool solved = false;    ///< whether an answer ever passed
  std::size_t hints = 0;  ///< how many were shown

  bool operator==(const ExerciseRecord&) const = default;
};

/// A line that cannot be understood.
struct DamagedLine {
  std::size_t number = 0;  ///< from 1
  std::string text;        ///< as it stands there
};

/// What the whole file says.
struct ProgressRecord {
  std::map<std::string, ExerciseRecord, std::less<>> exercises;  ///< by number
  std::string current;               ///< an exercise's number, or empty
  std::vector<DamagedLine> damaged;  ///< what was left out
};

/// Never fails: what cannot be understood is in `damaged`. Blanks, blank lines and
/// comments do not matter. Of two lines of one exercise the better counts.
ProgressRecord parse_progress(std::string_view text);

/// What `parse_progress` reads; without the damaged lines.
std::string to_text(const ProgressRecord& record);

}  // namespace pipeline

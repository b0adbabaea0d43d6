/// \file
/// Three-way merges of texts, by a program that is there: git or diff3.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// Three versions of one text.
struct MergeSides {
  std::string base;    ///< what both others come from
  std::string mine;    ///< the student's
  std::string theirs;  ///< the new starter
};

/// What a merge came to.
struct Merged {
  std::string text;  ///< with marks where the two sides disagree
  /// Lines, from 1, at which the two sides disagree: there `<<<<<<< yours` begins, then
  /// comes `=======`, and `>>>>>>> new starter` ends it; with git and with diff3 alike.
  std::vector<std::size_t> conflicts;
};

/// `scratch`: an existing folder for files that are gone afterwards. Absent where
/// neither `git` nor `diff3` can be started or both fail.
Expected<Merged> merge(const MergeSides& sides, const std::filesystem::path& scratch);

/// The lines, from 1, at which marks of a merge stand.
std::vector<std::size_t> conflict_lines(const std::string& text);

}  // namespace pipeline

/// \file
/// What a compiler or linker said of a student's file, in short: the first error in
/// full, because the others often come from it, and how many more there are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pipeline {

/// The first error among what g++ and ld wrote. Empty `message`: there was none that
/// could be told from the rest.
struct FirstError {
  std::string file;         ///< as the compiler named it; empty for the linker's
  std::size_t line = 0;     ///< 0: unknown
  std::string message;      ///< "expected ';' before '}' token"
  std::string excerpt;      ///< the line of the file and its caret, or empty
  std::size_t used_at = 0;  ///< where the file in question led into another one
  std::size_t others = 0;   ///< errors after it
};

/// `file`: the end of the student's path, "01_ticks/exercise.cpp".
FirstError find_first_error(std::string_view said, std::string_view file);

/// For a reader, within `width` columns. Where no error is found: the last lines of
/// what was said.
std::string errors_in_short(std::string_view said, std::string_view file,
                            std::size_t width = 80);

}  // namespace pipeline

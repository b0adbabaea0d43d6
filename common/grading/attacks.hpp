/// \file
/// The attack suite: files that a hostile student would hand in as exercise.cpp, and
/// what each of them may come to. Test code. Each begins
///
///     // attack: _exit(0) before any test runs
///     // ends: crash
///
/// and may go on with
///
///     // exercise: 10      which one it answers; 01 where this is not said
///     // fools: exit       the exit code of the tests, linked with it in one process
///     // fools: report     their report as well
///     // fools: unsafe     a grader without a sandbox
///     // earns: part       its functions are right for some inputs: that is no theft
///     // varies: races      what is said of it is not the same in any two runs
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grading/verdict.hpp"

namespace pipeline {

struct Attack {
  std::string file;          ///< "exit_in_function", without .cpp
  std::string kind;          ///< "_exit(0) as soon as a test calls"
  std::vector<Status> ends;  ///< any of these
  std::string exercise = "01";
  std::string fools;        ///< "exit", "report", "unsafe", or empty
  bool earns_part = false;  ///< else nothing
  std::string varies;       ///< why its verdict may; else empty
  std::string answer = {};  ///< its text
};

/// Refuses a text that does not say what it is and how it ends, or says anything that
/// is not in the list above.
Expected<Attack> parse_attack(std::string file, std::string text);

/// All of common/grading/attacks below `root`, by file name.
Expected<std::vector<Attack>> list_attacks(const std::filesystem::path& root);

}  // namespace pipeline

/// \file
/// What `test --full` judges beyond the tests of the host build.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "classroom/test_programs.hpp"
#include "classroom/workspace.hpp"

namespace pipeline {

/// Long sweeps take longer than the timeouts of the short tier allow.
inline constexpr double kFullPatience = 10;

/// What tells tests to sweep at full size.
std::vector<std::pair<std::string, std::string>> full_environment();

/// Prints how a part of the full tests went, and what it found wrong, which it then
/// forgets, so that nothing is printed twice.
void report_part(const std::string& name, TestTally& part);

/// The sanitizer builds with their tests, a minute of fuzzing, formatting, clang-tidy,
/// the cuda build: each a case of the tally; what cannot be done here is
/// skipped and says why.
TestTally run_full_checks(const Workspace& at);

}  // namespace pipeline

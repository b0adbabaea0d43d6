/// \file
/// Every test program of a build, run side by side.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "classroom/test_report.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// One program as CMake's `add_test` names it.
struct TestProgram {
  std::string name;                  ///< "schedule"
  std::vector<std::string> command;  ///< empty while it is not built
  double timeout_seconds = 300;      ///< when it is ended
  bool alone = false;                ///< RUN_SERIAL: uses several threads heavily
  std::vector<std::pair<std::string, std::string>> environment;  ///< set in addition

  /// The target that builds it, by convention NAME_test.
  std::string target() const { return name + "_test"; }
};

/// Those that CTest knows of in a configured folder.
Expected<std::vector<TestProgram>> list_test_programs(
    const std::filesystem::path& build);

/// The same from what `ctest --show-only=json-v1` printed.
Expected<std::vector<TestProgram>> parse_test_programs(std::string_view json);

/// Counts, and each failure with what it printed.
struct TestTally {
  int passed = 0;                  ///< tests
  int failed = 0;                  ///< tests, and what was judged as a whole
  int skipped = 0;                 ///< tests
  std::string failures;            ///< what to read of those that failed
  std::vector<std::string> skips;  ///< "Suite.Name: why"

  /// Adds all counts and texts.
  void add(const TestTally& other);
  /// One more thing that is judged as a whole, such as a build.
  void judge(const std::string& name, bool good, const std::string& output);
  /// "N passed, N failed, N skipped"
  std::string closing_line() const;
};

/// Which tests to run, and how.
struct TestRunOptions {
  std::string filter;   ///< a GoogleTest filter; empty: all
  int jobs = 2;         ///< programs at once
  double patience = 1;  ///< what timeouts are multiplied with
  /// Set in addition, for all of them.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string label;  ///< put before the names of failures, e.g. "asan: "
};

/// Side by side, those with the longest timeout first, with progress on a terminal.
TestTally run_test_programs(const std::vector<TestProgram>& programs,
                            const TestRunOptions& options);

/// What a test program printed between the start and the end of one case.
std::string output_of_case(const std::string& output, const std::string& name);

}  // namespace pipeline

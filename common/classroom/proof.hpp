/// \file
/// Whether the tests of an exercise have teeth.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "classroom/catalogue.hpp"
#include "classroom/process.hpp"
#include "classroom/test_report.hpp"

namespace pipeline {

/// What running a test program came to: its report, or why there is none.
struct Trial {
  Expected<TestReport> report;  ///< or why it cannot be read
  ProcessResult process;        ///< how it ended, and what it printed
};

/// Runs a GoogleTest program (in C locale order, no shuffle) and reads its report.
/// `arguments` are passed on to it; `unwanted` as in ProcessOptions.
Trial run_tests(
    const std::filesystem::path& program, double timeout_seconds,
    const std::vector<std::string>& arguments = {},
    const std::vector<std::pair<std::string, std::string>>& environment = {},
    const std::function<bool()>& unwanted = {});

/// Each returns what is wrong, or an empty string. The starter must fail, and by its
/// tests, not by a crash.
std::string complaint_about_starter(const Trial& trial);

/// The solution must pass every test, skip none, and the tests must be worth points.
std::string complaint_about_solution(const Trial& trial);

/// A mistake must fail in the test meant for it, with the message meant for it, and
/// earn the points that it is said to.
std::string complaint_about_mistake(const Mistake& mistake, const Trial& trial);

}  // namespace pipeline

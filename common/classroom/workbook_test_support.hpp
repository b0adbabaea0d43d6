/// \file
/// The built command as its users meet it, for tests. Test code.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "classroom/lines.hpp"
#include "classroom/process.hpp"

namespace pipeline::test {

inline ProcessResult workbook(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), WORKBOOK_PROGRAM);
  ProcessOptions options;
  options.timeout_seconds = 60;
  options.environment = {{"LC_ALL", "C.UTF-8"}};
  return run_process(arguments, options);
}

struct BadInput {
  std::vector<std::string> arguments;
  std::string says;
};

inline void PrintTo(const BadInput& input, std::ostream* out) {
  for (const std::string& argument : input.arguments) *out << argument << ' ';
}

/// Exit code 2, and two lines that say what and what to do.
inline void expect_refusal(const BadInput& input) {
  const auto result = workbook(input.arguments);
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_NE(result.output.find(input.says), std::string::npos) << result.output;
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 2)
      << result.output;
}

/// Help on a command, or on all of them for "", within 80 columns.
inline void expect_help(const std::string& command) {
  std::vector<std::string> arguments = {"--help"};
  if (!command.empty()) arguments.insert(arguments.begin(), command);
  const auto result = workbook(arguments);
  EXPECT_EQ(result.exit_code, 0) << command;
  EXPECT_NE(result.output.find("Usage"), std::string::npos) << command;
  for (const std::string& line : lines_of(result.output)) {
    EXPECT_LE(line.size(), 82U) << line;  // bytes; `…` has three
  }
}

}  // namespace pipeline::test

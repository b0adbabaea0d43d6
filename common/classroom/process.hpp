/// \file
/// Other programs: compilers, tests, chapters.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pipeline {

/// How a program is run.
struct ProcessOptions {
  std::vector<std::pair<std::string, std::string>> environment;  ///< set in addition
  double timeout_seconds = 0;                                    ///< 0: none
  /// False: the program writes to our own output, as if we were it.
  bool capture = true;
  /// Called with each piece of captured output as it comes.
  std::function<void(std::string_view)> on_output;
  /// Asked every few milliseconds: true ends the program as an interrupt would.
  std::function<bool()> unwanted;
};

/// What a program came to.
struct ProcessResult {
  int exit_code = 0;       ///< as a shell gives it: 127 not found, 128 + n for signal n
  bool timed_out = false;  ///< whether it was ended because its time was over
  std::string output;  ///< what was captured: stdout and stderr in the order written
};

/// Runs `command` (a name is looked for in $PATH) without a standard input, and waits.
/// At the timeout the program and its children are killed; when `interrupted()`, they
/// are asked to end, and killed when they do not.
ProcessResult run_process(const std::vector<std::string>& command,
                          const ProcessOptions& options = {});

/// From here on Ctrl-C, SIGTERM and the end of the terminal stop the running programs;
/// `interrupted` says that one came.
void catch_interrupts();
/// Whether such a signal came.
bool interrupted();

}  // namespace pipeline

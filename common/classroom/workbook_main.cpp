// workbook: the command that the script `./workbook` builds and hands over to.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/process.hpp"

namespace pipeline {
namespace {

constexpr const char* kSummary =
    "The Pipeline Parallelism Workbook. Without a command it says where you are.\n"
    "Exit codes: 0 good, 1 something failed its test, 2 bad usage or input,\n"
    "3 something is absent here, 130 interrupted.";

/// Kinder words than the parser's where a command is misspelt. An empty text is well.
std::string unknown_command(const CLI::App& app, const std::string& name) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return "";
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return "Say one of: " + names + ".";
}

int run(int argc, char** argv) {
  const Workspace at = {WORKBOOK_ROOT, WORKBOOK_BUILD};
  CLI::App app(kSummary, "./workbook");
  app.require_subcommand(0, 1);
  int exit_code = kGood;
  for (const auto add : {add_status, add_run, add_test, add_exercise, add_schedule,
                         add_bench, add_docs, add_gpu_check}) {
    add(app, at, exit_code);
  }
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) arguments.emplace_back("status");
  const std::string& first = arguments[0];
  const std::string known = first.starts_with("-") ? "" : unknown_command(app, first);
  if (!known.empty()) return complain({"there is no command '" + first + "'", known});
  std::reverse(arguments.begin(), arguments.end());  // as the parser wants them
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
  } catch (const CLI::ParseError& fault) {
    const auto named = app.get_subcommands();
    const std::string command = named.empty() ? "" : named[0]->get_name() + " ";
    return complain({fault.what(), "See ./workbook " + command + "--help."});
  }
  return interrupted() ? kInterrupted : exit_code;
}

}  // namespace
}  // namespace pipeline

int main(int argc, char** argv) {
  pipeline::catch_interrupts();
  try {
    return pipeline::run(argc, argv);
  } catch (const std::exception& fault) {
    return pipeline::complain(
        {fault.what(), "Please report this with what you typed."});
  }
}

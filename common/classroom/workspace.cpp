#include "classroom/workspace.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <thread>

#include "classroom/console.hpp"
#include "classroom/file_lock.hpp"
#include "classroom/process.hpp"

namespace pipeline {
namespace {

/// "[3/17] Building …" (Ninja) or "[ 17%] Building …" (Make).
bool is_progress(std::string_view line) {
  return line.size() > 3 && line[0] == '[' &&
         (std::isdigit(static_cast<unsigned char>(line[1])) != 0 || line[1] == ' ') &&
         line.find(']') != line.npos;
}

/// The part of a progress line that tells a reader something.
std::string in_short(std::string_view line) {
  const std::size_t object = line.rfind('/');
  const std::size_t count = line.find(']');
  if (object == line.npos || object < count) return std::string(line);
  return std::string(line.substr(0, count + 1)) + " " +
         std::string(line.substr(object + 1));
}

}  // namespace

std::filesystem::path build_lock(const std::filesystem::path& build) {
  return build / ".lock";
}

BuildResult build_targets(const std::filesystem::path& build,
                          const std::vector<std::string>& targets, OnError on_error,
                          const std::function<bool()>& unwanted) {
  std::vector<std::string> command = {
      "cmake", "--build", build.string(), "-j",
      std::to_string(std::max(1U, std::thread::hardware_concurrency()))};
  if (!targets.empty()) {
    command.emplace_back("--target");
    command.insert(command.end(), targets.begin(), targets.end());
  }
  if (on_error == OnError::GoOn) command.insert(command.end(), {"--", "-k", "0"});
  const FileLock lock(build_lock(build), unwanted);
  if (interrupted() || (unwanted && unwanted())) return {};
  ProcessOptions options;
  options.unwanted = unwanted;
  std::string rest;
  options.on_output = [&rest](std::string_view piece) {
    rest += piece;
    for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
      const std::string line = rest.substr(0, end);
      if (is_progress(line)) show_status("building " + in_short(line));
      rest.erase(0, end + 1);
    }
  };
  const ProcessResult result = run_process(command, options);
  show_status("");
  return {result.exit_code == 0, result.output};
}

std::string compiler_errors(const std::string& output) {
  std::istringstream lines(output);
  std::string line;
  std::string errors;
  bool after_failed = false;  // the line after FAILED: is the command, of no interest
  while (std::getline(lines, line)) {
    if (after_failed) {
      after_failed = false;
      continue;
    }
    after_failed = line.starts_with("FAILED: ");
    if (after_failed || is_progress(line) || line.starts_with("ninja: ")) continue;
    errors += line + "\n";
  }
  return errors;
}

bool lacks_target(const std::string& output, const std::string& target) {
  return output.find("unknown target '" + target + "'") != std::string::npos ||
         output.find("No rule to make target '" + target + "'") != std::string::npos;
}

}  // namespace pipeline

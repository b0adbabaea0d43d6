#include "classroom/starter.hpp"

#include <cstddef>

namespace pipeline {
namespace {

constexpr std::string_view kOpen = "// <solution>";
constexpr std::string_view kClose = "// </solution>";
constexpr std::string_view kInstead = "//~";

std::string at_line(std::size_t number) {
  return "line " + std::to_string(number) + ": ";
}

/// `  //~ return 0;` becomes `  return 0;`, and a bare `//~` an empty line.
std::string uncomment(std::string_view indentation, std::string_view text) {
  text.remove_prefix(kInstead.size());
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (text.empty()) return "\n";
  return std::string(indentation) + std::string(text) + "\n";
}

}  // namespace

Expected<std::string> derive_starter(std::string_view solution) {
  std::string starter;
  std::size_t opened_at = 0;  // the line of the region that is open, 0 outside of one
  std::size_t regions = 0;
  std::size_t number = 0;
  while (!solution.empty()) {
    const std::size_t length = solution.find('\n');
    const std::string_view line = solution.substr(0, length);
    solution.remove_prefix(length == solution.npos ? solution.size() : length + 1);
    ++number;

    const std::size_t indent = line.find_first_not_of(' ');
    const std::string_view text = indent == line.npos ? "" : line.substr(indent);
    if (text == kOpen) {
      if (opened_at != 0) {
        return refuse(at_line(number) + "a solution region opens inside another one",
                      "Close the one of line " + std::to_string(opened_at) + " first.");
      }
      opened_at = number;
      ++regions;
    } else if (text == kClose) {
      if (opened_at == 0) {
        return refuse(at_line(number) + "a solution region closes that never opened",
                      "Put `// <solution>` on a line of its own above it.");
      }
      opened_at = 0;
    } else if (text.starts_with(kInstead)) {
      if (opened_at == 0) {
        return refuse(at_line(number) + "a `//~` line stands outside of a region",
                      "Move it between `// <solution>` and `// </solution>`.");
      }
      starter += uncomment(line.substr(0, indent), text);
    } else if (opened_at == 0) {
      starter += std::string(line) + "\n";
    }
  }
  if (opened_at != 0) {
    return refuse(at_line(opened_at) + "this solution region is never closed",
                  "Put `// </solution>` on a line of its own below it.");
  }
  if (regions == 0) {
    return refuse("the solution marks no region, so nothing would be left to solve",
                  "Put `// <solution>` and `// </solution>` around what to take out.");
  }
  return starter;
}

}  // namespace pipeline

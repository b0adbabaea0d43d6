#include "classroom/starter.hpp"

#include <cstddef>

namespace pipeline {
namespace {

constexpr std::string_view kOpen = "// <solution>";
constexpr std::string_view kClose = "// </solution>";
constexpr std::string_view kInstead = "//~";

/// Takes the next line off the front of `text`, without its end.
std::string_view next_line(std::string_view& text) {
  const std::size_t length = text.find('\n');
  const std::string_view line = text.substr(0, length);
  text.remove_prefix(length == text.npos ? text.size() : length + 1);
  return line;
}

std::string_view without_indent(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(' ');
  return indent == line.npos ? std::string_view() : line.substr(indent);
}

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
    const std::string_view line = next_line(solution);
    const std::string_view text = without_indent(line);
    ++number;
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
      starter += uncomment(line.substr(0, line.size() - text.size()), text);
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

std::string without_marks(std::string_view solution) {
  std::string readable;
  while (!solution.empty()) {
    const std::string_view line = next_line(solution);
    const std::string_view text = without_indent(line);
    if (text == kOpen || text == kClose || text.starts_with(kInstead)) continue;
    readable += std::string(line) + "\n";
  }
  return readable;
}

}  // namespace pipeline

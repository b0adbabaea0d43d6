/// \file
/// A text line by line.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace pipeline {

/// The lines of a text, without their ends. What follows the last end is a line of its
/// own, unless it is empty.
inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace pipeline

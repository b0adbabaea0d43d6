/// \file
/// The gradebook in a terminal: 80 columns.
#pragma once

#include <string>

#include "grading/gradebook.hpp"

namespace pipeline {

struct TerminalStyle {
  bool ascii = false;  ///< no sign beyond ASCII but in names
  bool color = false;  ///< ANSI colours; nothing is told by them alone
};

/// A row a student (status, points, late days, a sign a test), then the tests with how
/// many passed them, then the named mistakes, then the class in figures.
std::string grades_as_text(const Gradebook& gradebook, TerminalStyle style = {});

}  // namespace pipeline

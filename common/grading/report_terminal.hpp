/// \file
/// The gradebook in a terminal: 80 columns.
#pragma once

#include <string>

#include "classroom/console.hpp"
#include "grading/gradebook.hpp"

namespace pipeline {

/// A row a student (status, points, late days, a sign a test), then the tests with how
/// many passed them, then the named mistakes, then the class in figures. Colour repeats
/// what a sign or a word says. `ascii`: no sign beyond ASCII but in names.
std::string grades_as_text(const Gradebook& gradebook, const Look& look, bool ascii);

/// The part of it on the class, without the row a student.
std::string class_as_text(const Gradebook& gradebook, const Look& look);

}  // namespace pipeline

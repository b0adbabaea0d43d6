/// \file
/// The class on one page.
#pragma once

#include <string>

#include "grading/gradebook.hpp"

namespace pipeline {

/// Figures, a matrix of students and tests that can be sorted and filtered (without
/// JavaScript it is a table in the order of the ids), the tests with their pass rates,
/// the named mistakes with who made them, and what the tests said. It holds hidden
/// tests and messages: for instructors. For others, make the gradebook `anonymous`
/// first, and leave the links out. `linked`: ids link to feedback/ID.html.
std::string index_page(const Gradebook& gradebook, bool linked);

}  // namespace pipeline

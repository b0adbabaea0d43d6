/// \file
/// What a student gets to read, as a page.
#pragma once

#include <string>

#include "grading/gradebook.hpp"

namespace pipeline {

/// Compiler errors first, then the tests with what they said, then the hints of hidden
/// ones: all that `view_for_student` gives, and nothing else.
std::string feedback_page(const Gradebook& gradebook, const Graded& graded);

}  // namespace pipeline

/// \file
/// Exercise 14h: level 10 of "build it yourself", as a schedule in text form
/// (schedule/text.hpp), or nothing where it is not built.
#pragma once

#include <string>

namespace pipeline {

/// "Twice around".
std::string level_10();

}  // namespace pipeline

/// \file
/// Exercise 02h: level 2 of "build it yourself", as a schedule in text form
/// (schedule/text.hpp), or nothing where it is not built.
#pragma once

#include <string>

namespace pipeline {

/// "The diagonal wave".
std::string level_2();

}  // namespace pipeline

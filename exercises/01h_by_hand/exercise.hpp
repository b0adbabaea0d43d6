/// \file
/// Exercise 01h: level 1 of "build it yourself", as a schedule in text form
/// (schedule/text.hpp), or nothing where it is not built.
#pragma once

#include <string>

namespace pipeline {

/// "Two devices".
std::string level_1();

}  // namespace pipeline

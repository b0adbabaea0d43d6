/// \file
/// Exercise 03h: level 3 of "build it yourself", as a schedule in text form
/// (schedule/text.hpp), or nothing where it is not built.
#pragma once

#include <string>

namespace pipeline {

/// "The slowest stage".
std::string level_3();

}  // namespace pipeline

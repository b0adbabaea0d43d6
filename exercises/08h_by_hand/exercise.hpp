/// \file
/// Exercise 08h: level 5 of "build it yourself", as a schedule in text form
/// (schedule/text.hpp), or nothing where it is not built.
#pragma once

#include <string>

namespace pipeline {

/// "One at a time is too slow".
std::string level_5();

}  // namespace pipeline

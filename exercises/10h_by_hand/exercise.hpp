/// \file
/// Exercise 10h: level 6 of "build it yourself", as a schedule in text form
/// (schedule/text.hpp), or nothing where it is not built.
#pragma once

#include <string>

namespace pipeline {

/// "All forwards, then all backwards".
std::string level_6();

}  // namespace pipeline

/// \file
/// Exercise 04h: level 4 of "build it yourself", as a schedule in text form
/// (schedule/text.hpp), or nothing where it is not built.
#pragma once

#include <string>

namespace pipeline {

/// "Messages take time".
std::string level_4();

}  // namespace pipeline

/// \file
/// Exercise 16h: levels 11 and 12 of "build it yourself", as schedules in text form
/// (schedule/text.hpp), or nothing where one is not built.
#pragma once

#include <string>

namespace pipeline {

/// "Weight gradients can wait".
std::string level_11();

/// "No bubble at all".
std::string level_12();

}  // namespace pipeline

/// \file
/// Exercise 13h: levels 8 and 9 of "build it yourself", as schedules in text form
/// (schedule/text.hpp), or nothing where one is not built.
#pragma once

#include <string>

namespace pipeline {

/// "One forward, one backward".
std::string level_8();

/// "Ahead of the link".
std::string level_9();

}  // namespace pipeline

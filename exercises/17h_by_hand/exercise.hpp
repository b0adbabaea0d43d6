/// \file
/// Exercise 17h: levels 13, 14 and 15 of "build it yourself", as schedules in text
/// form (schedule/text.hpp), or nothing where one is not built.
#pragma once

#include <string>

namespace pipeline {

/// "Down and back up".
std::string level_13();

/// "As little memory as can be".
std::string level_14();

/// "ZB-V".
std::string level_15();

}  // namespace pipeline

/// \file
/// Exercise 12h: level 7 of "build it yourself", as a schedule in text form
/// (schedule/text.hpp), or nothing where it is not built.
#pragma once

#include <string>

namespace pipeline {

/// "Forget, and make again".
std::string level_7();

}  // namespace pipeline

/// \file
/// Exercise 18h: level 16 of "build it yourself", as a schedule in text form
/// (schedule/text.hpp), or nothing where it is not built.
#pragma once

#include <string>

namespace pipeline {

/// "From both ends".
std::string level_16();

}  // namespace pipeline

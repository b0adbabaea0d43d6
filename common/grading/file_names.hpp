/// \file
/// Names of files for ids that anybody may have chosen.
#pragma once

#include <string>
#include <string_view>

namespace pipeline {

/// Letters, digits, `-`, `_` and `.` stay as they are (but a `.` in front), anything
/// else becomes `+` and two hexadecimal digits; what is longer than file systems like
/// ends with a hash. Two ids have two names.
std::string file_name_of(std::string_view id);

}  // namespace pipeline

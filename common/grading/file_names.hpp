/// \file
/// Names of files for ids that anybody may have chosen.
#pragma once

#include <string>
#include <string_view>

namespace pipeline {

/// Letters, digits, minus, underscore and dot stay as they are (but a dot in front),
/// anything else becomes a plus and two hexadecimal digits; what is longer than file
/// systems like ends with a hash. Two ids have two names.
std::string file_name_of(std::string_view id);

}  // namespace pipeline

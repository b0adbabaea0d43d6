/// \file
/// SHA-256 (FIPS 180-4): a name for a text that nobody can give to another text.
#pragma once

#include <string>
#include <string_view>

namespace pipeline {

/// 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace pipeline

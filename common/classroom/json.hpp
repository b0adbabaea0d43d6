/// \file
/// JSON, read and written. Parser and printer are compiled once, in json.cpp: they are
/// most of what a file that uses JSON costs to compile.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "classroom/json_fwd.hpp"

namespace pipeline {

/// A text that is not JSON gives a value that `is_discarded()`.
Json parse_json(std::string_view text);

/// With an indent of two and a line end; text that is no UTF-8 is replaced.
std::string to_text(const Json& json);

/// The text under `key` of an object, or "" where there is none.
std::string text_of(const Json& json, const char* key);

}  // namespace pipeline

/// \file
/// What must hold of every reader of text, whatever the text. Test code.
#pragma once

#include <string>
#include <string_view>

namespace pipeline {

/// Puts the input to each parser: the text form, both dialects, costs as typed and as a
/// file. Each must refuse it in words, or read what is then verified, written and read
/// back as the same. Returns what does not hold; empty when all does.
std::string complaint_about_parsers(std::string_view input);

}  // namespace pipeline

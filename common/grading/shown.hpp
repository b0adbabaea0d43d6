/// \file
/// Texts that a student may have chosen (names, messages, compiler errors), made fit to
/// be shown: nothing in them acts, and nothing in them hides.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pipeline {

/// Line ends and tabs stay. Every other control character, every sign that turns the
/// direction of writing (Unicode TR 36, section 2.8; "Trojan Source", CVE-2021-42574)
/// or that nobody sees, and every code point that XML forbids becomes its name,
/// "[U+202E]"; a byte that is no UTF-8 becomes "[0xFF]".
std::string visible(std::string_view text);

/// The same for one line, such as a name: line ends and tabs become names too.
std::string visible_line(std::string_view text);

/// At most `bytes` of a text (to the end of a character), and how many were left out.
std::string shortened(std::string_view text, std::size_t bytes);

/// For HTML and XML, between tags and in quoted attributes: `&`, `<`, `>` and both
/// kinds of quotes as entities, and whatever `visible` names by its name.
std::string markup(std::string_view text);

/// A cell of a table that a spreadsheet will open: `visible_line`, with `'` before it
/// where it would be taken for a formula, that is, where it begins with one of `=+-@`
/// (OWASP, "CSV Injection").
std::string harmless_cell(std::string_view text);

}  // namespace pipeline

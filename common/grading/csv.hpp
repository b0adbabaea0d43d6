/// \file
/// Tables as learning platforms export them: CSV (RFC 4180), with a byte order mark,
/// semicolons or tabs where a spreadsheet left them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// The cells of a line, without their quotes.
using CsvRow = std::vector<std::string>;

/// Its rows, the header first; empty lines are left out. The separator is the one of
/// comma, semicolon and tab that the first line has most of. Refuses a quote that is
/// not closed, naming its line.
Expected<std::vector<CsvRow>> parse_csv(std::string_view text);

/// A cell, and where it stands in the text: its quotes too, its separator not.
struct CsvCell {
  std::string text;       ///< without its quotes
  std::size_t begin = 0;  ///< in bytes from the front of the text
  std::size_t end = 0;    ///< one past its last byte
};

/// The same with the places, for a table in which some cells are to change and no other
/// byte is.
Expected<std::vector<std::vector<CsvCell>>> locate_csv(std::string_view text);

/// A row with commas, quoted where needed, and CR LF at its end.
std::string to_csv(const CsvRow& row);

}  // namespace pipeline

/// \file
/// How the command speaks: results to stdout, errors to stderr, progress on a terminal
/// only, 80 columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// The exit codes of the command and of the chapters' programs.
enum ExitCode : int {
  kGood = 0,           ///< all went well
  kFailed = 1,         ///< something failed its test, or `--verify` found faults
  kBadUsage = 2,       ///< bad usage, unparsable or damaged input
  kAbsent = 3,         ///< something is not here: a GPU, a data set
  kInterrupted = 130,  ///< Ctrl-C
};

/// Prints a refusal to stderr, one line of what and one of what to do, and returns the
/// exit code that belongs to it.
int complain(const Error& error);
/// The same for what is no refusal: returns `code`.
int complain(const Error& error, int code);

/// What goes on right now, on stderr where that is a terminal: one line that the next
/// one replaces. An empty text clears it.
void show_status(std::string_view text);

/// To stdout, at once.
void print(std::string_view text);

/// Cells aligned into columns two blanks apart; the first row is the header. Columns
/// named in `right` (from 0) are aligned to the right.
std::string format_table(const std::vector<std::vector<std::string>>& rows,
                         const std::vector<std::size_t>& right = {});

/// True where the locale ($LC_ALL, $LC_CTYPE, $LANG) is not one of UTF-8.
bool wants_ascii();

/// The columns that a UTF-8 text takes, at one for each code point.
std::size_t columns(std::string_view text);

/// Breaks lines at blanks so that none is longer than `width` columns, each indented by
/// `indent` and by what blanks it began with; the very first one by `first` in place of
/// `indent`, if given.
std::string wrap(std::string_view text, std::size_t indent = 0,
                 std::size_t first = std::string_view::npos, std::size_t width = 80);

/// How a text may look where it is shown.
struct Look {
  std::size_t width = 80;  ///< columns
  bool colour = false;     ///< whether control sequences for colours may be used
};

/// For stdout. The width is the terminal's, but at most 80; in colour on a terminal,
/// unless $NO_COLOR is set (no-color.org) or $TERM is `dumb`.
Look look_of_stdout();

/// True where stdout is a terminal that obeys control sequences: not `dumb`.
bool moves_cursor();

/// What a colour is to say.
enum class Tint : std::uint8_t {
  Good,    ///< passed
  Bad,     ///< failed
  Strong,  ///< to be seen first
  Quiet    ///< to be read last
};

/// The text in the colour, where there is any. Takes no columns: pad before.
std::string tinted(std::string_view text, Tint tint, const Look& look);

/// With `?` in the place of what a terminal would obey: all control characters but line
/// ends. For texts that a student's program chose.
std::string harmless(std::string_view text);

/// "CountsTheLastMicroBatch" as a reader wants it: "counts the last micro batch".
std::string sentence(std::string_view camel_case);

}  // namespace pipeline

#include "classroom/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace pipeline {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kNarrowest = 20;

bool is_dumb() {
  const char* kind = std::getenv("TERM");
  return kind == nullptr || *kind == '\0' || std::string_view(kind) == "dumb";
}

/// The columns of the terminal behind a descriptor, at most 80.
std::size_t width_of(int descriptor) {
  winsize size = {};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kWidth;
  return std::clamp<std::size_t>(size.ws_col, kNarrowest, kWidth);
}

std::string padding(std::size_t width, std::string_view text) {
  const std::size_t taken = columns(text);
  return std::string(taken < width ? width - taken : 0, ' ');
}

/// One line into as many as it takes. The blanks that it begins with stay, and the
/// lines after the first are indented by as much.
std::string wrap_line(std::string_view text, std::size_t first, std::size_t indent,
                      std::size_t width) {
  const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
  std::string result;
  std::string line(first + blanks, ' ');
  text.remove_prefix(blanks);
  std::size_t begun = line.size();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (line.size() > begun && columns(line) + 1 + columns(word) > width) {
      result += line + "\n";
      line.assign(indent + blanks, ' ');
      begun = line.size();
    }
    if (line.size() > begun) line += ' ';
    line += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  result += line;
  result.erase(result.find_last_not_of(' ') + 1);
  return result + "\n";
}

}  // namespace

int complain(const Error& error) {
  return complain(error, error.kind == ErrorKind::Absent ? kAbsent : kBadUsage);
}

int complain(const Error& error, int code) {
  show_status("");
  std::fprintf(stderr, "workbook: %s\n%s\n", error.what.c_str(), error.remedy.c_str());
  return code;
}

void show_status(std::string_view text) {
  static bool shown = false;
  if (text.empty() && !shown) return;
  if (isatty(STDERR_FILENO) == 0 || is_dumb()) return;
  const std::string_view visible = text.substr(0, width_of(STDERR_FILENO) - 1);
  std::fprintf(stderr, "\r\033[K%.*s", static_cast<int>(visible.size()),
               visible.data());
  std::fflush(stderr);
  shown = !text.empty();
}

void print(std::string_view text) {
  show_status("");
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::string format_table(const std::vector<std::vector<std::string>>& rows,
                         const std::vector<std::size_t>& right) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    if (widths.size() < row.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns(row[i]));
    }
  }
  std::string table;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      const std::string pad = padding(widths[i], row[i]);
      const bool to_right = std::find(right.begin(), right.end(), i) != right.end();
      line += to_right ? pad + row[i] : row[i] + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    table += line + "\n";
  }
  return table;
}

bool wants_ascii() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale = value;
    return locale.find("UTF-8") == locale.npos && locale.find("utf8") == locale.npos;
  }
  return true;
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string wrap(std::string_view text, std::size_t indent, std::size_t first,
                 std::size_t width) {
  std::string result;
  if (first == std::string_view::npos) first = indent;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    result += wrap_line(text.substr(0, end), first, indent, width);
    first = indent;
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return result;
}

Look look_of_stdout() {
  const char* refused = std::getenv("NO_COLOR");
  const bool plain = refused != nullptr && *refused != '\0';
  return {width_of(STDOUT_FILENO), moves_cursor() && !plain};
}

bool moves_cursor() { return isatty(STDOUT_FILENO) != 0 && !is_dumb(); }

std::string tinted(std::string_view text, Tint tint, const Look& look) {
  if (!look.colour || text.empty()) return std::string(text);
  constexpr const char* kCodes[] = {"32", "31", "1", "2"};
  return "\033[" + std::string(kCodes[static_cast<std::size_t>(tint)]) + "m" +
         std::string(text) + "\033[0m";
}

std::string harmless(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n') || byte == 0x7F) c = c == '\t' ? ' ' : '?';
  }
  return result;
}

std::string sentence(std::string_view camel_case) {
  std::string words;
  for (const char c : camel_case) {
    const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (upper && !words.empty()) words += ' ';
    words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

}  // namespace pipeline

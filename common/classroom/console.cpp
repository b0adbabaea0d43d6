#include "classroom/console.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace pipeline {
namespace {

constexpr std::size_t kWidth = 80;

std::string padding(std::size_t width, std::string_view text) {
  const std::size_t taken = columns(text);
  return std::string(taken < width ? width - taken : 0, ' ');
}

/// One line into as many as it takes. The blanks that it begins with stay, and the
/// lines after the first are indented by as much.
std::string wrap_line(std::string_view text, std::size_t first, std::size_t indent) {
  const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
  std::string result;
  std::string line(first + blanks, ' ');
  text.remove_prefix(blanks);
  std::size_t begun = line.size();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (line.size() > begun && columns(line) + 1 + columns(word) > kWidth) {
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
  show_status("");
  std::fprintf(stderr, "workbook: %s\n%s\n", error.what.c_str(), error.remedy.c_str());
  return error.kind == ErrorKind::Absent ? kAbsent : kBadUsage;
}

void show_status(std::string_view text) {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  static bool shown = false;
  if (!terminal || (text.empty() && !shown)) return;
  const std::string_view visible = text.substr(0, kWidth - 1);
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

std::string wrap(std::string_view text, std::size_t indent, std::size_t first) {
  std::string result;
  if (first == std::string_view::npos) first = indent;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    result += wrap_line(text.substr(0, end), first, indent);
    first = indent;
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
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

#include "classroom/compile_errors.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

#include "classroom/console.hpp"
#include "classroom/lines.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kLastLines = 10;
constexpr std::string_view kUndefined = "undefined reference to ";
constexpr std::string_view kMultiple = "multiple definition of ";

/// "file:line:column: " at the front of a line; the rest of it in `rest`.
struct Place {
  std::string file;
  std::size_t line = 0;
  std::string rest;
};

/// The number that begins at `at`, which is moved behind it and its colon; 0 if none.
std::size_t take_number(const std::string& text, std::size_t& at) {
  std::size_t number = 0;
  std::size_t end = at;
  while (end < text.size() &&
         std::isdigit(static_cast<unsigned char>(text[end])) != 0 && end - at < 9) {
    number = number * 10 + static_cast<std::size_t>(text[end++] - '0');
  }
  if (end == at || end >= text.size() || text[end] != ':') return 0;
  at = end + 1;
  return number;
}

Place place_of(const std::string& text) {
  for (std::size_t colon = text.find(':'); colon != text.npos;
       colon = text.find(':', colon + 1)) {
    std::size_t at = colon + 1;
    const std::size_t line = take_number(text, at);
    if (line == 0) continue;
    take_number(text, at);  // the column
    const std::size_t rest = text.find_first_not_of(' ', at);
    return {text.substr(0, colon), line, rest == text.npos ? "" : text.substr(rest)};
  }
  return {};
}

/// What follows "error: " or "fatal error: ", or an empty string.
std::string error_text(const Place& place) {
  for (const std::string_view mark : {"error: ", "fatal error: "}) {
    if (place.rest.starts_with(mark)) return place.rest.substr(mark.size());
  }
  return "";
}

/// The linker's complaint: from one of its two phrases to the end of the line.
std::string linker_text(const std::string& line) {
  for (const std::string_view phrase : {kUndefined, kMultiple}) {
    const std::size_t at = line.find(phrase);
    if (at != line.npos) return line.substr(at, line.find(';', at) - at);
  }
  return "";
}

/// The two lines that g++ prints below a message, "    8 |   retur 0;" and the caret's,
/// without the margin.
std::string excerpt_at(const std::vector<std::string>& lines, std::size_t first) {
  std::string excerpt;
  for (std::size_t i = first; i < std::min(first + 2, lines.size()); ++i) {
    const std::size_t bar = lines[i].find(" | ");
    if (bar > 6 ||  // npos, too
        lines[i].find_first_not_of(" 0123456789") != bar + 1) {
      break;
    }
    excerpt += lines[i].substr(bar + 3) + "\n";
  }
  return excerpt;
}

std::string last_lines(const std::vector<std::string>& lines) {
  std::string text;
  const std::size_t from = lines.size() - std::min(lines.size(), kLastLines);
  for (std::size_t i = from; i < lines.size(); ++i) text += lines[i] + "\n";
  return text;
}

/// "undefined reference to `pipeline::tick_count(int, int)'" in a student's words.
std::string linker_in_words(const std::string& message) {
  const std::size_t begin = message.find_first_of("`'\"");
  std::string name = begin == message.npos ? message : message.substr(begin + 1);
  name.erase(std::min(name.find_last_of('\''), name.size()));
  for (std::size_t at = name.find("pipeline::"); at != name.npos;
       at = name.find("pipeline::")) {
    name.erase(at, std::string_view("pipeline::").size());
  }
  if (message.starts_with(kMultiple)) return "This is defined twice: " + name + ".";
  return "This function is missing: " + name +
         ". Is its name, are its arguments as exercise.hpp has them, and is it in "
         "namespace pipeline?";
}

}  // namespace

FirstError find_first_error(std::string_view said, std::string_view file) {
  const std::vector<std::string> lines = lines_of(said);
  FirstError first;
  std::size_t led_in = 0;  // the last line of the student's from which another came
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Place place = place_of(lines[i]);
    if (place.file.ends_with(file) &&
        place.rest.find("required from") != std::string::npos) {
      led_in = place.line;
    }
    std::string message = error_text(place);
    const bool compiler = !message.empty();
    if (!compiler) message = linker_text(lines[i]);
    if (message.empty()) continue;
    if (!first.message.empty()) {
      ++first.others;
      continue;
    }
    first.message = message;
    if (!compiler) continue;
    first.file = place.file;
    first.line = place.line;
    first.excerpt = excerpt_at(lines, i + 1);
    if (!place.file.ends_with(file)) first.used_at = led_in;
  }
  return first;
}

std::string errors_in_short(std::string_view said, std::string_view file,
                            std::size_t width) {
  const FirstError first = find_first_error(said, file);
  if (first.message.empty()) return last_lines(lines_of(harmless(said)));
  std::string text;
  if (first.file.empty()) {
    text = wrap(linker_in_words(harmless(first.message)), 2, 2, width);
  } else {
    const bool own = first.file.ends_with(file);
    const std::string name =
        first.file.substr(first.file.find_last_of('/') + 1);  // npos + 1 is 0
    text = own ? "Line " + std::to_string(first.line) + ":\n\n"
               : name + ", line " + std::to_string(first.line) +
                     (first.used_at == 0 ? std::string(":\n\n")
                                         : ", used in your line " +
                                               std::to_string(first.used_at) + ":\n\n");
    for (const std::string& line : lines_of(harmless(first.excerpt))) {
      text += "  " + line.substr(0, width - 2) + "\n";
    }
    text += wrap(harmless(first.message), 2, 2, width);
  }
  if (first.others > 0) {
    const std::string count = std::to_string(first.others);
    text += "\n" + wrap((first.others == 1 ? "1 more error follows"
                                           : count + " more errors follow") +
                            "; often the first one is the cause.",
                        0, 0, width);
  }
  return text;
}

}  // namespace pipeline

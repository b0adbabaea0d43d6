#include "classroom/catalogue.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>
#include <system_error>

#include "classroom/files.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// The number that the name of a unit's folder begins with, or nothing.
std::string_view number_of(std::string_view name) {
  const std::size_t end = name.find('_');
  if (end == name.npos || end + 1 == name.size()) return {};
  const std::string_view number = name.substr(0, end);
  const bool whole = end == 2 || (end == 3 && (number[2] == 't' || number[2] == 'h'));
  return whole && is_digit(number[0]) && is_digit(number[1]) ? number
                                                             : std::string_view();
}

}  // namespace

std::string header_value(const std::string& line, std::string_view key) {
  const std::string start = "// " + std::string(key) + ": ";
  return line.starts_with(start) ? line.substr(start.size()) : "";
}

std::string Unit::title() const {
  std::string words = number + " " + name;
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::vector<Unit> list_units(const fs::path& root, std::string_view kind) {
  std::vector<Unit> units;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / kind, error)) {
    const std::string name = entry.path().filename().string();
    const std::string number(number_of(name));
    if (number.empty() || !entry.is_directory()) continue;
    units.push_back({number, name.substr(number.size() + 1)});
  }
  std::sort(units.begin(), units.end(),
            [](const Unit& a, const Unit& b) { return a.folder() < b.folder(); });
  return units;
}

Expected<Unit> find_unit(const std::vector<Unit>& units, std::string_view kind,
                         std::string_view number) {
  const std::size_t digits = std::min(number.find_first_of("th"), number.size());
  const std::string wanted = (digits == 1 ? "0" : "") + std::string(number);
  std::string known;
  for (const Unit& unit : units) {
    if (unit.number == wanted) return unit;
    known += (known.empty() ? "" : ", ") + unit.number;
  }
  return refuse(
      "there is no " + std::string(kind) + " '" + std::string(number) + "'",
      known.empty() ? "None is in this folder yet." : "Say one of: " + known + ".");
}

std::vector<std::string> parse_hints(std::string_view readme) {
  std::vector<std::string> hints;
  std::istringstream lines{std::string(readme)};
  std::string line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (line.starts_with("#")) {
      inside = line == "## Hints";
      continue;
    }
    if (!inside) continue;
    const std::size_t text = line.find_first_not_of(' ');
    if (text == std::string::npos) continue;
    const std::size_t digits = line.find_first_not_of("0123456789");
    if (line.starts_with("- ") || line.starts_with("* ")) {
      hints.push_back(line.substr(2));
    } else if (digits > 0 && line.substr(digits, 2) == ". ") {
      hints.push_back(line.substr(digits + 2));
    } else if (!hints.empty()) {
      hints.back() += " " + line.substr(text);
    }
  }
  return hints;
}

Expected<Mistake> parse_mistake(std::string file, std::string_view text) {
  Mistake mistake;
  std::string points;
  std::istringstream lines{std::string(text)};
  std::string line;
  while (std::getline(lines, line) && line.starts_with("//")) {
    if (mistake.name.empty()) mistake.name = header_value(line, "mistake");
    if (mistake.fails.empty()) mistake.fails = header_value(line, "fails");
    if (mistake.says.empty()) mistake.says = header_value(line, "says");
    if (points.empty()) points = header_value(line, "points");
  }
  mistake.file = std::move(file);
  for (const auto& [key, value] : {std::pair{"mistake", mistake.name},
                                   {"fails", mistake.fails},
                                   {"says", mistake.says},
                                   {"points", points}}) {
    if (!value.empty()) continue;
    return refuse("mistakes/" + mistake.file + ".cpp has no `// " + key + ": ` line",
                  "Begin the file with `// mistake: `, `// fails: `, `// says: `, "
                  "`// points: `.");
  }
  const char* const end = points.data() + points.size();
  const auto read = std::from_chars(points.data(), end, mistake.points);
  if (read.ec != std::errc() || read.ptr != end || mistake.points < 0) {
    return refuse("mistakes/" + mistake.file + ".cpp earns '" + points + "' points",
                  "Give a whole number, as in `// points: 6`.");
  }
  return mistake;
}

Expected<std::vector<Mistake>> list_mistakes(const fs::path& exercise) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(exercise / "mistakes", error)) {
    if (entry.path().extension() == ".cpp") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Mistake> mistakes;
  for (const fs::path& file : files) {
    const auto text = read_file(file);
    if (!text) return tl::unexpected(text.error());
    auto mistake = parse_mistake(file.stem().string(), *text);
    if (!mistake) return tl::unexpected(mistake.error());
    mistakes.push_back(std::move(*mistake));
  }
  return mistakes;
}

}  // namespace pipeline

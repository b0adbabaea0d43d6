#include "classroom/progress_file.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include "classroom/console.hpp"

namespace pipeline {
namespace {

constexpr const char* kHead =
    "# How far you are in the Pipeline Parallelism Workbook; ./workbook keeps this.\n"
    "# An exercise, whether it was solved, how many hints were shown, and which one\n"
    "# is current.\n";
constexpr std::size_t kLongestNumber = 8;
constexpr std::size_t kMostHints = 999;

using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// "01", "10t": a digit first, then digits and letters.
bool is_exercise_number(const std::string& word) {
  return word.size() <= kLongestNumber &&
         std::isdigit(static_cast<unsigned char>(word[0])) != 0 &&
         std::all_of(word.begin(), word.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0; });
}

bool parse_hints(const std::string& word, std::size_t& hints) {
  if (word.empty() || word.size() > 3 ||
      word.find_first_not_of("0123456789") != word.npos) {
    return false;
  }
  hints = static_cast<std::size_t>(std::stoi(word));
  return true;
}

struct Line {
  std::string number;
  ExerciseRecord record;
  bool current = false;
};

/// NUMBER (solved|begun) [N hint|hints] [current]
bool parse_line(const Words& words, Line& line) {
  std::size_t at = 0;
  const auto next_is = [&](const char* word) {
    if (at >= words.size() || words[at] != word) return false;
    ++at;
    return true;
  };
  if (words.size() < 2 || !is_exercise_number(words[at++])) return false;
  line.number = words[0];
  line.record.solved = next_is("solved");
  if (!line.record.solved && !next_is("begun")) return false;
  if (at < words.size() && parse_hints(words[at], line.record.hints)) {
    ++at;
    if (!next_is("hints") && !next_is("hint")) return false;
  }
  line.current = next_is("current");
  return at == words.size();
}

}  // namespace

ProgressRecord parse_progress(std::string_view text) {
  ProgressRecord progress;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const Words words = words_of(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    Line read;
    if (!parse_line(words, read)) {
      progress.damaged.push_back({number, line});
      continue;
    }
    ExerciseRecord& record = progress.exercises[read.number];
    record.solved = record.solved || read.record.solved;
    record.hints = std::max(record.hints, read.record.hints);
    if (read.current) progress.current = read.number;
  }
  return progress;
}

std::string to_text(const ProgressRecord& progress) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [number, record] : progress.exercises) {
    const std::size_t hints = std::min(record.hints, kMostHints);
    rows.push_back({number, record.solved ? "solved" : "begun",
                    std::to_string(hints) + (hints == 1 ? " hint" : " hints"),
                    number == progress.current ? "current" : ""});
  }
  return kHead + format_table(rows);
}

}  // namespace pipeline

#include "classroom/chapter_page.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "classroom/files.hpp"
#include "classroom/lines.hpp"
#include "schedule/full_tier.hpp"

namespace pipeline {
namespace {

/// Where the output begins and ends on the page; both npos when it is not there.
std::pair<std::size_t, std::size_t> find_output(std::string_view page,
                                                std::string_view command) {
  const std::string opening = "```text\n$ " + std::string(command) + "\n";
  const std::size_t opens = page.find(opening);
  if (opens == page.npos) return {page.npos, page.npos};
  const std::size_t begin = opens + opening.size();
  // Not "\n```": the output may be empty.
  const std::size_t end = page.substr(begin - 1).find("\n```");
  if (end == page.npos) return {page.npos, page.npos};
  return {begin, begin + end};
}

bool draws_the_clock(std::string_view line) {
  for (const char* mark :
       {"│", "┌", "└", "steady state", "too narrow", "one column is"}) {
    if (line.find(mark) != line.npos) return true;
  }
  return line.starts_with("s  ") || line.starts_with("ms  ") ||
         line.starts_with("µs  ") || line.starts_with("measured ");
}

bool is_digest(std::string_view word) {
  return word.size() == 16 && word.find_first_not_of("0123456789abcdef") == word.npos;
}

bool is_unit_of_time(std::string_view word) {
  return word == "s" || word == "ms" || word == "µs";
}

/// Words apart by one blank, so that columns may be of any width. The unit of a time is
/// a matter of how fast the machine is.
std::string words_of_line(std::string_view line) {
  std::string words;
  bool after_number = false;
  while (!line.empty()) {
    const std::size_t length = line.find(' ');
    const std::string_view word = line.substr(0, length);
    line.remove_prefix(length == line.npos ? line.size() : length + 1);
    if (word.empty() || (after_number && is_unit_of_time(word))) continue;
    const bool in_front = word.front() == '-' || word.front() == '[';
    const char first = in_front && word.size() > 1 ? word[1] : word[0];
    after_number = std::isdigit(static_cast<unsigned char>(first)) != 0;
    words += (words.empty() ? "" : " ") +
             std::string(after_number || is_digest(word) ? "#" : word);
  }
  return words;
}

/// The first line of `text` that `other` has not at the same place.
std::string first_difference(std::string_view text, std::string_view other) {
  while (true) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const bool same = line == other.substr(0, other.find('\n'));
    if (!same || text.empty() || other.empty()) return std::string(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    other.remove_prefix(std::min(other.size(), line.size() + 1));
  }
}

/// Seconds: as long as a sanitizer may take. What hangs ends earlier in the short tier,
/// with its test program.
constexpr double kPatience = 3000;

}  // namespace

ProcessResult run_chapter_program(const std::string& program,
                                  std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program);
  ProcessOptions options;
  options.environment = {{"LC_ALL", "C.UTF-8"}};
  options.timeout_seconds = kPatience;
  return run_process(arguments, options);
}

std::vector<PrintedRow> rows_of(const std::string& json) {
  const auto report = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  std::vector<PrintedRow> rows;
  if (!report.is_object() || !report.contains("rows")) return rows;
  for (const auto& row : report["rows"]) {
    rows.push_back({row["what"], row["predicted"], row["measured"]});
  }
  return rows;
}

std::string rows_that_disagree(const std::string& json) {
  const std::vector<PrintedRow> rows = rows_of(json);
  if (rows.empty()) return "no rows in: " + json;
  std::string wrong;
  for (const PrintedRow& row : rows) {
    if (std::abs(row.measured - row.predicted) <= 1e-9) continue;
    wrong += row.what + ": " + std::to_string(row.predicted) + " predicted, " +
             std::to_string(row.measured) + " measured\n";
  }
  return wrong;
}

std::string disagreements_at_any_size(const std::string& program) {
  std::string all;
  for (const std::string p : {"1", "2", "7", "64"}) {
    for (const std::string m : {"1", "3", "40"}) {
      const ProcessResult run =
          run_chapter_program(program, {"-p", p, "-m", m, "--json"});
      const std::string wrong = rows_that_disagree(run.output);
      if (run.exit_code != 0 || !wrong.empty()) {
        all.append("-p ").append(p).append(" -m ").append(m);
        all.append(" ends with ").append(std::to_string(run.exit_code));
        all.append(": ").append(wrong).append("\n");
      }
    }
  }
  return all;
}

bool takes_all_images() {
  return in_full_tier() || std::getenv("WORKBOOK_REWRITE_PAGES") != nullptr;
}

constexpr const char* kFewImages = "1000";
constexpr double kLeastOfFew = 20;  // by guessing: 10

double least_accuracy() { return takes_all_images() ? 85 : kLeastOfFew; }

std::vector<std::string> with_images(std::vector<std::string> arguments) {
  const std::string count = takes_all_images() ? "60000" : kFewImages;
  arguments.insert(arguments.end(), {"--images", count});
  return arguments;
}

std::string complaint_about_training(const std::vector<PrintedRow>& rows, int runs) {
  if (rows.size() < 2) return "there are no two rows";
  const PrintedRow& same = rows[0];
  if (same.what != "runs on p > 1 with the weights of one" || same.predicted != runs ||
      same.measured != runs) {
    return same.what + ": " + std::to_string(same.measured) + " of " +
           std::to_string(same.predicted) + ", not " + std::to_string(runs);
  }
  const PrintedRow& accuracy = rows[1];
  const double least = least_accuracy();
  if (accuracy.what != "test accuracy, %: at least 85" || accuracy.measured < least) {
    return accuracy.what + ": " + std::to_string(accuracy.measured);
  }
  return "";
}

std::string output_on_page(std::string_view page, std::string_view command) {
  const auto [begin, end] = find_output(page, command);
  return begin == page.npos ? "" : std::string(page.substr(begin, end - begin));
}

std::string with_output_on_page(std::string_view page, std::string_view command,
                                std::string_view output) {
  const auto [begin, end] = find_output(page, command);
  return std::string(page.substr(0, begin)) + std::string(output) +
         std::string(page.substr(end));
}

std::vector<std::string> rows_on_page(std::string_view page, std::string_view command) {
  std::vector<std::string> names;
  bool in_table = false;
  for (const std::string& line : lines_of(output_on_page(page, command))) {
    if (line.ends_with(" predicted  measured  ratio")) {
      names.clear();  // the last one is the report's
      in_table = true;
    } else if (line.empty()) {
      in_table = false;
    } else if (in_table) {
      names.push_back(line.substr(0, line.find("  ")));
    }
  }
  return names;
}

std::string words_of(std::string_view output) {
  std::string words;
  bool on_the_level = false;
  while (!output.empty()) {
    const std::size_t length = output.find('\n');
    const std::string_view line = output.substr(0, length);
    output.remove_prefix(length == output.npos ? output.size() : length + 1);
    on_the_level = line.starts_with("Level: ") || (on_the_level && !line.empty());
    if (line.empty() || on_the_level || draws_the_clock(line)) continue;
    words += words_of_line(line) + "\n";
  }
  return words;
}

std::string complaint_about_page(const std::string& file, std::string_view command,
                                 const std::string& output, PageShows shows) {
  auto page = read_file(file);
  if (!page) return page.error().what;
  const auto [begin, end] = find_output(*page, command);
  if (begin == std::string::npos) {
    return file + " has no block that begins with \"$ " + std::string(command) + "\"";
  }
  if (std::getenv("WORKBOOK_REWRITE_PAGES") != nullptr) {
    *page = with_output_on_page(*page, command, output);
    if (const auto written = write_file(file, *page); !written) {
      return written.error().what;
    }
  }
  std::string shown = output_on_page(*page, command);
  std::string printed = output;
  if (shows == PageShows::Words) {
    shown = words_of(shown);
    printed = words_of(printed);
  }
  if (shown == printed) return "";
  return file + ": \"" + std::string(command) + "\" now prints\n  " +
         first_difference(printed, shown) + "\nwhere the page shows\n  " +
         first_difference(shown, printed) +
         "\nLook at both, then run this test with WORKBOOK_REWRITE_PAGES=1.";
}

}  // namespace pipeline

#include "grading/roster.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "classroom/numbers.hpp"
#include "grading/csv.hpp"
#include "grading/dates.hpp"
#include "grading/shown.hpp"

namespace pipeline {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") + 1 - first));
}

std::string lower(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// Where the columns are; several of a kind in the order of preference.
class Columns {
 public:
  explicit Columns(const CsvRow& header) {
    for (const std::string& cell : header) names_.push_back(lower(trimmed(cell)));
  }
  std::vector<std::size_t> all(std::initializer_list<std::string_view> names) const {
    std::vector<std::size_t> found;
    for (const std::string_view name : names) {
      const auto it = std::find(names_.begin(), names_.end(), name);
      if (it != names_.end())
        found.push_back(static_cast<std::size_t>(it - names_.begin()));
    }
    return found;
  }

 private:
  std::vector<std::string> names_;
};

/// The first cell of these columns that is not empty.
std::string cell_of(const CsvRow& row, const std::vector<std::size_t>& columns) {
  for (const std::size_t column : columns) {
    std::string cell = column < row.size() ? trimmed(row[column]) : "";
    if (!cell.empty()) return cell;
  }
  return {};
}

std::string name_of(const CsvRow& row, const Columns& columns) {
  std::string name =
      cell_of(row, columns.all({"name", "student", "student name", "full name"}));
  if (!name.empty()) return name;
  return trimmed(cell_of(row, columns.all({"first name", "first"})) + " " +
                 cell_of(row, columns.all({"last name", "last", "surname"})));
}

/// "26:30:00" as days; nothing for any other text.
std::optional<double> parse_lateness(std::string_view text) {
  double seconds = 0;
  for (int part = 0; part < 3; ++part) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const auto number = parse_count("", text.substr(0, end), 0, 1000000);
    if (!number || (part == 2) != (end == text.size())) return std::nullopt;
    seconds = seconds * 60 + *number;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return days_late(static_cast<std::int64_t>(seconds), 0);
}

tl::unexpected<Error> bad_cell(const std::string& id, const char* column,
                               const std::string& cell, const char* form) {
  return refuse("the roster's " + std::string(column) + " of " + visible_line(id) +
                    " is '" + visible_line(cell) + "'",
                std::string("Write it as ") + form + ", or leave it empty.");
}

Expected<void> read_times(const CsvRow& row, const Columns& columns,
                          RosterEntry& entry) {
  const std::string due = cell_of(row, columns.all({"due", "due date", "deadline"}));
  entry.due = due.empty() ? std::nullopt : parse_time(due);
  if (!due.empty() && !entry.due)
    return bad_cell(entry.id, "due date", due, "2026-03-01 23:59");
  const std::string late =
      cell_of(row, columns.all({"late", "late days", "days late"}));
  const std::string clock = cell_of(row, columns.all({"lateness (h:m:s)", "lateness"}));
  if (!late.empty()) {
    const auto days = parse_amount("late", late);
    if (!days) return bad_cell(entry.id, "late days", late, "a number of days");
    entry.late_days = *days;
  } else if (!clock.empty()) {
    entry.late_days = parse_lateness(clock);
    if (!entry.late_days) return bad_cell(entry.id, "lateness", clock, "26:30:00");
  }
  return {};
}

/// What Canvas puts among the students.
bool is_no_student(const std::string& name) {
  return name == "Points Possible" || name == "Student, Test" || name == "Test Student";
}

/// "Participant 12345" of Moodle is 12345 in the names of files.
std::string without_word(const std::string& id) {
  constexpr std::string_view kWord = "Participant ";
  return id.starts_with(kWord) ? id.substr(kWord.size()) : id;
}

/// The letters and digits of a name, its words in the order of the alphabet: "Doe,
/// Jane" and "Jane Doe" are the same.
std::string words_of_name(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80U || std::isalnum(byte) != 0) {
      words.back() += static_cast<char>(std::tolower(byte));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  std::sort(words.begin(), words.end());
  std::string all;
  for (const std::string& word : words) all += word + " ";
  return trimmed(all);
}

/// The same in one word, as Canvas names files: last name first.
std::string letters_of_name(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80U || std::isalnum(byte) != 0)
      letters += static_cast<char>(std::tolower(byte));
  }
  return letters;
}

/// Which student of the roster goes by a key; kTwo where several do.
class Keys {
 public:
  void add(const std::string& key, std::size_t student) {
    if (key.empty()) return;
    const auto [it, fresh] = students_.emplace(key, student);
    if (!fresh && it->second != student) it->second = kTwo;
  }
  bool has(const std::string& key) const { return students_.contains(key); }
  std::optional<std::size_t> find(const std::string& key) const {
    const auto it = students_.find(key);
    if (it == students_.end() || it->second == kTwo) return std::nullopt;
    return it->second;
  }

 private:
  static constexpr std::size_t kTwo = static_cast<std::size_t>(-1);
  std::map<std::string, std::size_t> students_;
};

class Matcher {
 public:
  explicit Matcher(const std::vector<RosterEntry>& roster) {
    for (std::size_t i = 0; i < roster.size(); ++i) {
      for (const std::string& id : roster[i].ids) ids_.add(lower(id), i);
      names_.add(words_of_name(roster[i].name), i);
      names_.add(letters_of_name(roster[i].name), i);
    }
  }
  std::optional<std::size_t> find(const HandedIn& handed) const {
    if (const auto found = ids_.find(lower(handed.id))) return found;
    for (const std::string& id : handed.also) {
      if (const auto found = ids_.find(lower(id))) return found;
    }
    const std::string words = words_of_name(handed.name);
    // One word may be a whole name, as Canvas writes it.
    return names_.find(names_.has(words) ? words : letters_of_name(handed.name));
  }

 private:
  Keys ids_;
  Keys names_;
};

}  // namespace

Expected<std::vector<RosterEntry>> parse_roster(std::string_view csv) {
  const auto rows = parse_csv(csv);
  if (!rows) return tl::unexpected(rows.error());
  const Columns columns(rows->empty() ? CsvRow{} : rows->front());
  const std::vector<std::size_t> ids =
      columns.all({"id", "sid", "student id", "id number", "sis user id",
                   "sis login id", "login id", "username", "identifier", "email",
                   "email address", "folder", "file"});
  if (ids.empty()) {
    return refuse("the roster has no column of ids",
                  "Its first line names the columns: id,name,email,folder,due,late.");
  }
  std::vector<RosterEntry> roster;
  std::set<std::string> taken;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const CsvRow& row = (*rows)[i];
    RosterEntry entry;
    const std::string name = name_of(row, columns);
    if (is_no_student(name)) continue;
    for (const std::size_t column : ids) {
      const std::string id = without_word(cell_of(row, {column}));
      if (!id.empty()) entry.ids.push_back(id);
    }
    if (entry.ids.empty()) continue;
    entry.id = visible_line(entry.ids.front());
    entry.name = name.empty() ? entry.id : visible_line(name);
    if (!taken.insert(entry.id).second) {
      return refuse("two rows of the roster have the id " + entry.id,
                    "Give each student one row.");
    }
    if (const auto read = read_times(row, columns, entry); !read)
      return tl::unexpected(read.error());
    roster.push_back(std::move(entry));
  }
  std::sort(roster.begin(), roster.end(),
            [](const RosterEntry& a, const RosterEntry& b) { return a.id < b.id; });
  return roster;
}

MatchedClass match_roster(const std::vector<RosterEntry>& roster,
                          std::vector<HandedIn> handed) {
  const Matcher matcher(roster);
  MatchedClass matched;
  for (const RosterEntry& entry : roster) matched.students.push_back({entry, {}});
  for (HandedIn& each : handed) {
    const auto found = matcher.find(each);
    if (!found) {
      matched.notes.push_back(each.id + " is not in the roster: not graded");
      continue;
    }
    Enrolled& student = matched.students[*found];
    // The later of two, where both say when.
    if (student.handed && each.when.value_or(0) <= student.handed->when.value_or(0)) {
      matched.notes.push_back(each.id + " is a second submission of " + student.who.id +
                              ": not graded");
      continue;
    }
    if (student.handed)
      matched.notes.push_back(student.handed->id + " is an earlier submission of " +
                              student.who.id + ": not graded");
    student.handed = std::move(each);
  }
  return matched;
}

MatchedClass without_roster(std::vector<HandedIn> handed) {
  MatchedClass matched;
  for (HandedIn& each : handed) {
    RosterEntry who;
    who.id = each.id;
    who.name = each.name;
    matched.students.push_back({std::move(who), std::move(each)});
  }
  return matched;
}

}  // namespace pipeline

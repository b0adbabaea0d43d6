#include "grading/report_exports.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "grading/csv.hpp"
#include "grading/shown.hpp"
#include "grading/student_view.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

using Row = std::vector<CsvCell>;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  const std::size_t end = text.find_last_not_of(" \t");
  return end == text.npos ? text.substr(begin) : text.substr(begin, end + 1 - begin);
}

std::optional<std::size_t> column_of(const Row& header, std::string_view name) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (trimmed(header[i].text) == name) return i;
  }
  return std::nullopt;
}

/// The text of a row's cell, or nothing where there is no such cell.
std::string_view text_at(const Row& row, std::optional<std::size_t> column) {
  if (!column || *column >= row.size()) return {};
  return trimmed(row[*column].text);
}

/// An export while it is filled in.
class Form {
 public:
  Form(std::string_view text, const Gradebook& gradebook, std::string name)
      : text_(text), name_(std::move(name)) {
    for (const Graded& graded : gradebook.students) {
      not_found_.emplace(graded.submission.id, &graded);
      students_.emplace(graded.submission.id, &graded);
    }
  }

  /// The student whose id is one of these, the first that is anybody's.
  const Graded* student(const std::vector<std::string_view>& ids) {
    for (const std::string_view id : ids) {
      const auto found = students_.find(id);
      if (id.empty() || found == students_.end()) continue;
      not_found_.erase(found->first);
      return found->second;
    }
    return nullptr;
  }

  void replace(const CsvCell& cell, std::string text) {
    edits_.emplace(cell.begin, std::make_pair(cell.end, std::move(text)));
  }

  void warn(std::string sentence) { warnings_.push_back(std::move(sentence)); }

  Filled filled() && {
    std::string result;
    std::size_t at = 0;
    for (const auto& [begin, edit] : edits_) {
      result += text_.substr(at, begin - at);
      result += edit.second;
      at = edit.first;
    }
    result += text_.substr(at);
    if (!not_found_.empty()) warn(who_was_not_found());
    return {std::move(result), std::move(warnings_)};
  }

 private:
  std::string who_was_not_found() const {
    constexpr std::size_t kNamed = 5;
    std::string sentence = name_ + " does not know " +
                           counted(static_cast<int>(not_found_.size()), "student") +
                           ":";
    std::size_t named = 0;
    for (const auto& [id, graded] : not_found_) {
      if (named == kNamed) return sentence + ", …";
      sentence += (named++ == 0 ? " " : ", ") + visible_line(id);
    }
    return sentence;
  }

  std::string_view text_;
  std::string name_;
  std::map<std::string, const Graded*, std::less<>> students_;
  std::map<std::string, const Graded*, std::less<>> not_found_;
  std::map<std::size_t, std::pair<std::size_t, std::string>> edits_;
  Warnings warnings_;
};

/// A sentence where a platform counts other points than the exercise has.
void compare_points(Form& form, const std::string& name, std::string_view theirs,
                    int ours) {
  const double possible = std::strtod(std::string(theirs).c_str(), nullptr);
  if (theirs.empty() || possible == ours) return;
  form.warn(name + " counts " + visible_line(theirs) + " points, the exercise has " +
            std::to_string(ours) + ": the points are filled in as they are");
}

tl::unexpected<Error> not_canvas(const std::string& what) {
  return refuse("this is no gradebook of Canvas: " + what,
                "In Canvas, choose Grades, Export, Export Entire Gradebook.");
}

tl::unexpected<Error> not_moodle(const std::string& what) {
  return refuse("this is no grading worksheet of Moodle: " + what,
                "In Moodle, in English, choose View all submissions, Download grading "
                "worksheet.");
}

/// Whether a column of Canvas, "Ticks (1234)", is the assignment that is asked for.
bool is_assignment(std::string_view header, std::string_view asked) {
  const std::string name = lower(trimmed(header));
  const std::string wanted = lower(trimmed(asked));
  return name == wanted || (name.starts_with(wanted + " (") && name.ends_with(')'));
}

/// Whether the column is an assignment that is named as the exercise: "Exercise 01:
/// Ticks (1234)". The one kind of column that ends with a number in parentheses.
bool is_named_as(std::string_view header, const Unit& exercise) {
  const std::string name = lower(header);
  const std::size_t open = name.rfind(" (");
  if (open == name.npos || !name.ends_with(')')) return false;
  const std::string_view number =
      std::string_view(name).substr(open + 2, name.size() - open - 3);
  if (number.empty() || number.find_first_not_of("0123456789") != number.npos) {
    return false;
  }
  std::string words = exercise.name;
  std::replace(words.begin(), words.end(), '_', ' ');
  return name.find(words) < open || name.find(exercise.folder()) < open;
}

/// The column to fill in; refused with the columns there are.
Expected<std::size_t> choose_column(const Row& header, std::string_view asked,
                                    const Unit& exercise) {
  std::vector<std::size_t> found;
  std::string all;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string& name = header[i].text;
    if (asked.empty() ? is_named_as(name, exercise) : is_assignment(name, asked)) {
      found.push_back(i);
    }
    if (trimmed(name).ends_with(')')) all += (all.empty() ? "" : ", ") + name;
  }
  if (found.size() == 1) return found[0];
  return refuse(std::string(found.empty() ? "no" : "more than one") +
                    " assignment of Canvas is named " +
                    (asked.empty() ? exercise.name : visible_line(asked)),
                "Name one of: " + visible_line(shortened(all, 1000)));
}

/// What Canvas keeps in the cell of somebody who is not graded.
bool is_exempt(std::string_view cell) { return cell == "EX" || cell == "N/A"; }

constexpr std::string_view kOurs = "<p>Workbook: ";

/// A cell for `Feedback comments`, quoted.
std::string comment_for(const Gradebook& gradebook, const Graded& graded) {
  constexpr std::size_t kLongest = 2000;  // bytes of any one text
  const auto text = [](const std::string& words) {
    return markup(shortened(words, kLongest));
  };
  const StudentView view = view_for_student(gradebook, graded);
  std::string html = std::string(kOurs) + std::to_string(graded.verdict.points()) +
                     " of " + counted(graded.verdict.of(), "point") + ". " +
                     markup(view.headline) + "</p>";
  if (!view.compiler_errors.empty()) {
    html += "<pre>" + text(view.compiler_errors) + "</pre>";
  }
  for (const ViewedTest& test : view.tests) {
    if (test.mark != Mark::Failed) continue;
    html += "<p>" + markup(test.name) + ":</p><pre>" + text(test.text) + "</pre>";
  }
  for (const std::string& hint : view.hints) html += "<p>Hint: " + text(hint) + "</p>";
  for (const std::string& note : view.notes) html += "<p>Note: " + text(note) + "</p>";
  // Quotes are entities by now, and line ends may stand in a quoted cell.
  return "\"" + html + "\"";
}

}  // namespace

Expected<Filled> fill_canvas(std::string_view exported, const Gradebook& gradebook,
                             std::string_view column) {
  const auto rows = locate_csv(exported);
  if (!rows) return tl::unexpected(rows.error());
  if (rows->empty()) return not_canvas("it is empty");
  const Row& header = rows->front();
  const auto id = column_of(header, "ID");
  if (!id || !column_of(header, "Section")) {
    return not_canvas("it has no columns ID and Section");
  }
  const auto possible = std::find_if(rows->begin(), rows->end(), [](const Row& row) {
    return trimmed(row.front().text) == "Points Possible";
  });
  if (possible == rows->end()) return not_canvas("it has no row Points Possible");
  const auto chosen = choose_column(header, column, gradebook.exercise);
  if (!chosen) return tl::unexpected(chosen.error());

  const auto login = column_of(header, "SIS Login ID");
  const auto user = column_of(header, "SIS User ID");
  const auto integration = column_of(header, "Integration ID");
  Form form(exported, gradebook, "Canvas");
  compare_points(form, "Canvas", text_at(*possible, *chosen), gradebook.of());
  for (auto row = possible + 1; row != rows->end(); ++row) {
    const Graded* const graded =
        form.student({text_at(*row, login), text_at(*row, user),
                      text_at(*row, integration), text_at(*row, id)});
    if (graded == nullptr || graded->verdict.status == Status::GraderError ||
        *chosen >= row->size() || is_exempt(text_at(*row, *chosen))) {
      continue;
    }
    form.replace((*row)[*chosen], std::to_string(graded->verdict.points()));
  }
  return std::move(form).filled();
}

Expected<Filled> fill_moodle(std::string_view worksheet, const Gradebook& gradebook) {
  const auto rows = locate_csv(worksheet);
  if (!rows) return tl::unexpected(rows.error());
  if (rows->empty()) return not_moodle("it is empty");
  const Row& header = rows->front();
  const auto identifier = column_of(header, "Identifier");
  const auto grade = column_of(header, "Grade");
  if (!identifier || !grade)
    return not_moodle("it has no columns Identifier and Grade");

  const auto most = column_of(header, "Maximum Grade");
  const auto comments = column_of(header, "Feedback comments");
  const auto number = column_of(header, "ID number");
  const auto mail = column_of(header, "Email address");
  const auto user = column_of(header, "Username");
  Form form(worksheet, gradebook, "Moodle");
  if (rows->size() > 1) {
    compare_points(form, "Moodle", text_at((*rows)[1], most), gradebook.of());
  }
  for (auto row = rows->begin() + 1; row != rows->end(); ++row) {
    const std::string_view participant = text_at(*row, identifier);
    const std::string_view digits =
        participant.substr(participant.find_last_not_of("0123456789") + 1);
    const Graded* const graded =
        form.student({participant, digits, text_at(*row, number), text_at(*row, mail),
                      text_at(*row, user)});
    if (graded == nullptr || graded->verdict.status == Status::GraderError ||
        *grade >= row->size()) {
      continue;
    }
    form.replace((*row)[*grade], std::to_string(graded->verdict.points()));
    const std::string_view comment = text_at(*row, comments);
    if (comments && *comments < row->size() &&
        (comment.empty() || comment.starts_with(kOurs))) {
      form.replace((*row)[*comments], comment_for(gradebook, *graded));
    }
  }
  return std::move(form).filled();
}

}  // namespace pipeline

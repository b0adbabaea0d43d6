#include "grading/report_index.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "classroom/test_report.hpp"
#include "grading/class_figures.hpp"
#include "grading/file_names.hpp"
#include "grading/html_page.hpp"
#include "grading/shown.hpp"
#include "grading/student_view.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kLongestMessage = 1500;  // bytes
constexpr std::size_t kLongestErrors = 4000;

// Sorting and filtering. Written without the signs that XML gives a meaning.
constexpr std::string_view kScript = R"js(
'use strict';
const body = document.getElementById('matrix').tBodies[0];
const heads = Array.from(document.querySelectorAll('#matrix thead th'));
const rows = Array.from(body.rows);
const text = document.getElementById('filter');
const status = document.getElementById('status');
const compare = new Intl.Collator('en', { numeric: true }).compare;
const key = (row, column) => row.cells[column].dataset.key ?? row.cells[column].textContent;

function sort(column) {
  const down = heads[column].getAttribute('aria-sort') === 'ascending';
  heads.forEach((head) => head.setAttribute('aria-sort', 'none'));
  heads[column].setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const sign = down ? -1 : 1;
  body.append(...rows.slice().sort((a, b) => sign * compare(key(a, column), key(b, column))));
}

function filter() {
  const words = text.value.toLowerCase().split(' ').filter((word) => word !== '');
  let shown = 0;
  for (const row of rows) {
    const told = row.textContent.toLowerCase();
    const right = status.value === '' || row.dataset.status === status.value;
    row.hidden = !right || !words.every((word) => told.includes(word));
    if (!row.hidden) shown += 1;
  }
  document.getElementById('shown').textContent = shown + ' of ' + rows.length + ' shown';
}

heads.forEach((head, column) =>
  head.querySelector('button').addEventListener('click', () => sort(column)));
text.addEventListener('input', filter);
status.addEventListener('change', filter);
document.querySelector('.tools').hidden = false;
filter();
)js";

/// A cell of the matrix: a sign, the word for those who hear it, and its rank.
struct Cell {
  std::string_view sign, word, css_class;
  int rank;
};

Cell cell_of(const Verdict& verdict, const TestVerdict& test) {
  const Mark mark = mark_of(verdict, test);
  if (mark == Mark::Passed) return {"✓", "pass", "pass", 5};
  if (mark == Mark::NotRun) return {"·", "not run", "idle", 0};
  switch (test.ended) {
    case Status::Timeout:
      return {"T", "timeout", "fail", 2};
    case Status::Crash:
      return {"C", "crash", "fail", 1};
    case Status::Memory:
      return {"M", "memory", "fail", 3};
    default:
      return {"✗", "fail", "fail", 4};
  }
}

std::string matrix_cell(const Cell& cell) {
  return "<td class=\"mark " + std::string(cell.css_class) + "\" data-key=\"" +
         std::to_string(cell.rank) + "\">" + std::string(cell.sign) +
         "<span class=\"word\"> " + std::string(cell.word) + "</span></td>";
}

std::string number_cell(const std::string& text, double key) {
  return "<td class=\"number\" data-key=\"" + std::to_string(std::llround(key * 100)) +
         "\">" + markup(text) + "</td>";
}

/// The head of a column that sorts by it. `meaning` is for those who point at it, and
/// for those who hear it.
std::string head_cell(const std::string& text, const std::string& meaning,
                      std::string_view css_class = "", bool sorted = false) {
  const std::string words = markup(visible_line(meaning));
  std::string html = "<th scope=\"col\" class=\"" + std::string(css_class) +
                     "\" aria-sort=\"" + (sorted ? "ascending" : "none") +
                     "\"><button type=\"button\"";
  if (!words.empty()) html += " title=\"" + words + "\"";
  html += ">" + markup(text);
  if (!words.empty()) html += "<span class=\"word\"> " + words + "</span>";
  return html + "</button></th>\n";
}

std::string id_of(const Graded& graded, bool linked) {
  const std::string& id = graded.submission.id;
  if (!linked) return isolated(id);
  return "<a href=\"feedback/" + markup(file_name_of(id)) + ".html\">" + isolated(id) +
         "</a>";
}

std::string matrix_row(const Graded& graded, bool linked) {
  const auto& [submission, verdict] = graded;
  const std::string status(to_text(verdict.status));
  const bool counts = verdict.status != Status::GraderError;
  std::string html =
      "<tr data-status=\"" + status + "\"><th scope=\"row\">" + id_of(graded, linked) +
      "</th><td>" + isolated(submission.name) + "</td>" +
      element("td", status, verdict.status == Status::Ok ? "pass" : "fail") +
      number_cell(counts ? std::to_string(verdict.points()) : "–",
                  counts ? verdict.points() : -1) +
      number_cell(submission.late_days > 0 ? number(submission.late_days, 2) : "",
                  submission.late_days);
  for (const TestVerdict& test : verdict.tests)
    html += matrix_cell(cell_of(verdict, test));
  return html + "</tr>\n";
}

std::string status_option(std::string_view status, int count) {
  return "<option value=\"" + std::string(status) + "\">" + std::string(status) + " (" +
         std::to_string(count) + ")</option>";
}

std::string status_options(const ClassFigures& figures) {
  std::string html = "<option value=\"\">every status</option>";
  for (std::size_t i = 0; i < kStatuses.size(); ++i) {
    if (figures.statuses[i] == 0) continue;
    html += status_option(to_text(kStatuses[i]), figures.statuses[i]);
  }
  return html;
}

std::string matrix(const Gradebook& gradebook, const ClassFigures& figures,
                   bool linked) {
  std::string html =
      "<section id=\"students\">\n<h2>Students</h2>\n"
      "<div class=\"tools\" hidden=\"hidden\">\n<label>Filter <input type=\"search\" "
      "id=\"filter\"/></label>\n<label>Status <select id=\"status\">" +
      status_options(figures) +
      "</select></label>\n<output id=\"shown\" aria-live=\"polite\"></output>\n</div>\n"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Students and "
      "tests\">\n<table id=\"matrix\">\n<thead><tr>\n" +
      head_cell("Student", "", "", true) + head_cell("Name", "") +
      head_cell("Status", "") +
      head_cell("Points", "of " + std::to_string(gradebook.of()), "number") +
      head_cell("Days late", "", "number");
  for (std::size_t i = 0; i < gradebook.tests.size(); ++i) {
    html += head_cell("T" + std::to_string(i + 1),
                      test_in_words(gradebook.tests[i].name), "mark");
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const Graded& graded : gradebook.students) html += matrix_row(graded, linked);
  return html +
         "</tbody>\n</table>\n</div>\n<p class=\"quiet\">✓ passed, ✗ failed, T "
         "timeout, C "
         "crash, M memory, · not run. Points are raw: nothing is taken off for late "
         "days.</p>\n</section>\n";
}

/// A share as a bar and in words.
std::string share_cell(int part, int of) {
  const std::string words = percent(part, of);
  const int width = of == 0 ? 0 : static_cast<int>(100LL * part / of);
  return "<td class=\"number\"><span class=\"bar\" aria-hidden=\"true\" "
         "style=\"--share: " +
         std::to_string(width) + "%\"></span> " + words + "</td><td class=\"number\">" +
         std::to_string(part) + "</td>";
}

std::string table(std::string_view heads, const std::string& rows) {
  return "<div class=\"scroll low\">\n<table>\n<thead><tr>" + std::string(heads) +
         "</tr></thead>\n<tbody>\n" + rows + "</tbody>\n</table>\n</div>\n";
}

std::string tests_section(const Gradebook& gradebook, const ClassFigures& figures) {
  std::string rows;
  for (std::size_t i = 0; i < gradebook.tests.size(); ++i) {
    const TestInfo& test = gradebook.tests[i];
    rows += "<tr><th scope=\"row\">T" + std::to_string(i + 1) +
            "</th><td class=\"words\">" +
            markup(visible_line(test_in_words(test.name))) +
            (test.hidden  ? " <span class=\"quiet\">(hidden)</span>"
             : test.drawn ? " <span class=\"quiet\">(drawn inputs)</span>"
                          : "") +
            "</td>" + share_cell(figures.passed[i], figures.handed_in) +
            "<td class=\"number\">" + std::to_string(test.points) + "</td></tr>\n";
  }
  return "<section id=\"tests\">\n<h2>Tests</h2>\n" +
         table(
             "<th scope=\"col\">Test</th><th scope=\"col\">Name</th><th scope=\"col\" "
             "class=\"number\">Passed by</th><th scope=\"col\" "
             "class=\"number\">Students</th><th scope=\"col\" "
             "class=\"number\">Points</th>",
             rows) +
         "</section>\n";
}

std::string who(const MistakeCount& count, bool linked) {
  if (count.students.empty()) return "";
  std::string html = "<details><summary>who</summary>";
  for (std::size_t i = 0; i < count.students.size(); ++i) {
    html += (i == 0 ? " " : ", ") + id_of(*count.students[i], linked);
  }
  return html + "</details>";
}

std::string mistakes_section(const ClassFigures& figures, bool linked) {
  std::string rows;
  for (const MistakeCount& count : figures.mistakes) {
    rows += "<tr><td class=\"words\">" + markup(visible_line(count.mistake.name)) +
            "</td>" +
            share_cell(static_cast<int>(count.students.size()), figures.handed_in) +
            "<td>" + who(count, linked) + "</td></tr>\n";
  }
  rows += "<tr><td>failed, and by none of these</td>" +
          share_cell(figures.unexplained, figures.handed_in) + "<td></td></tr>\n";
  return "<section id=\"mistakes\">\n<h2>Misconceptions</h2>\n<p>How many failed just "
         "as "
         "a named mistake of the exercise does.</p>\n" +
         table(
             "<th scope=\"col\">Mistake</th><th scope=\"col\" class=\"number\">Of "
             "those "
             "handed in</th><th scope=\"col\" class=\"number\">Students</th><th "
             "scope=\"col\">Who</th>",
             rows) +
         "</section>\n";
}

/// How many students have so many points, in at most eleven ranges.
std::string points_section(const Gradebook& gradebook, const ClassFigures& figures) {
  const int of = std::max(gradebook.of(), 0);
  const int width = of / 11 + 1;
  std::vector<int> counts(static_cast<std::size_t>(of / width + 1));
  for (const Graded& graded : gradebook.students) {
    const Status status = graded.verdict.status;
    if (status == Status::Missing || status == Status::GraderError) continue;
    const int points = std::clamp(graded.verdict.points(), 0, of);
    ++counts[static_cast<std::size_t>(points / width)];
  }
  std::string rows;
  for (std::size_t i = counts.size(); i-- > 0;) {
    const int least = static_cast<int>(i) * width;
    const int most = std::min(least + width - 1, of);
    const std::string range =
        least == most ? std::to_string(least)
                      : std::to_string(least) + " to " + std::to_string(most);
    rows += "<tr><th scope=\"row\">" + range + "</th>" +
            share_cell(counts[i], figures.handed_in) + "</tr>\n";
  }
  return "<section id=\"points\">\n<h2>Points</h2>\n" +
         table(
             "<th scope=\"col\">Points</th><th scope=\"col\" class=\"number\">Of those "
             "handed in</th><th scope=\"col\" class=\"number\">Students</th>",
             rows) +
         "</section>\n";
}

/// What the compiler, the tests and the grader said of one answer; empty where nothing.
std::string said_of(const Graded& graded) {
  const auto& [submission, verdict] = graded;
  std::string html;
  if (!verdict.compiler_errors.empty()) {
    html += preformatted(verdict.compiler_errors, kLongestErrors);
  }
  for (const TestVerdict& test : verdict.tests) {
    if (mark_of(verdict, test) != Mark::Failed || test.message.empty()) continue;
    html += element("p", visible_line(test_in_words(test.test.name))) +
            preformatted(without_places(test.message), kLongestMessage);
  }
  for (const std::vector<std::string>* notes : {&submission.notes, &verdict.notes}) {
    for (const std::string& note : *notes) {
      html += element("p", shortened(note, kLongestMessage));
    }
  }
  return html;
}

std::string messages_section(const Gradebook& gradebook, bool linked) {
  std::string html;
  for (const Graded& graded : gradebook.students) {
    const std::string said = said_of(graded);
    if (said.empty()) continue;
    html += "<details><summary>" + isolated(graded.submission.id) + " · " +
            std::string(to_text(graded.verdict.status)) + "</summary>\n" +
            (linked ? "<p>" + id_of(graded, linked) + "</p>\n" : "") + said +
            "</details>\n";
  }
  if (html.empty()) return "";
  return "<section id=\"messages\">\n<h2>What was said</h2>\n<p>Of hidden and drawn "
         "tests too, which students do not get to read.</p>\n" +
         html + "</section>\n";
}

std::string header(const Gradebook& gradebook, const ClassFigures& figures,
                   bool messages, bool linked) {
  std::string html =
      "<header>\n" + element("h1", "Exercise " + gradebook.exercise.title()) + "\n<p>" +
      std::to_string(figures.handed_in) + " of " +
      counted(static_cast<int>(gradebook.students.size()), "student") +
      " handed in · mean " + number(figures.mean, 1) + " and median " +
      number(figures.median, 1) + " of " + counted(gradebook.of(), "point") + "</p>\n";
  const bool best = gradebook.tier == "bubblewrap";
  html += element(
      "p",
      "Sandbox: " + sandbox_in_words(gradebook.tier) + "." +
          (gradebook.per_student ? " Inputs were drawn for each student apart." : ""),
      best ? "quiet" : "warning");
  html +=
      "\n<nav aria-label=\"On this page\"><ul>\n<li><a "
      "href=\"#students\">Students</a></li>\n"
      "<li><a href=\"#tests\">Tests</a></li>\n<li><a "
      "href=\"#mistakes\">Misconceptions</a></li>\n<li><a "
      "href=\"#points\">Points</a></li>\n";
  if (messages) html += "<li><a href=\"#messages\">What was said</a></li>\n";
  html += "</ul></nav>\n";
  if (linked) html += "<p><a href=\"similarity.html\">Answers that are alike</a></p>\n";
  return html + "</header>\n";
}

}  // namespace

std::string index_page(const Gradebook& gradebook, bool linked) {
  const ClassFigures figures = figures_of(gradebook);
  const std::string messages = messages_section(gradebook, linked);
  HtmlPage page;
  page.title = "Exercise " + gradebook.exercise.title();
  page.body = header(gradebook, figures, !messages.empty(), linked) + "<main>\n" +
              matrix(gradebook, figures, linked) + tests_section(gradebook, figures) +
              mistakes_section(figures, linked) + points_section(gradebook, figures) +
              messages + "</main>\n";
  page.script = kScript;
  return html_page(page);
}

}  // namespace pipeline

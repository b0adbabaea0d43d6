// What a person reads of the similarity report: a page, a table, and lines in a
// terminal.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "grading/csv.hpp"
#include "grading/html_page.hpp"
#include "grading/shown.hpp"
#include "grading/similarity.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

/// Pairs that the page shows side by side; the table in the CSV has all.
constexpr std::size_t kMostShown = 100;
/// Pairs that the terminal names.
constexpr std::size_t kMostListed = 5;
/// Bytes of an answer that the page shows.
constexpr std::size_t kMostBytes = 32768;

constexpr std::string_view kMeaning =
    "A flag is a reason to look, not a proof, and it changes no points. What the "
    "starter gave out is not counted, and neither are names, layout, comments and the "
    "order of functions. Short exercises lead many to the same lines: look for what "
    "two people would hardly both write, such as the same detour or the same mistake, "
    "and ask both before you conclude anything.";

/// Never "100 %" of what is not all.
std::string percent_of(double share) {
  const int rounded = static_cast<int>(std::lround(100 * share));
  return std::to_string(share < 1 ? std::min(rounded, 99) : rounded) + " %";
}

std::string two_digits(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", share);
  return text;
}

std::string count_of(std::size_t number, const char* one, const char* more) {
  return std::to_string(number) + " " + (number == 1 ? one : more);
}

const std::string& left_id(const SimilarityReport& report, const AlikePair& pair) {
  return report.answers[pair.left].id;
}
const std::string& right_id(const SimilarityReport& report, const AlikePair& pair) {
  return report.answers[pair.right].id;
}

std::string summary(const SimilarityReport& report) {
  const auto of_students = static_cast<std::size_t>(std::count_if(
      report.answers.begin(), report.answers.end(),
      [](const ComparedAnswer& answer) { return answer.id != kSolution; }));
  std::string text =
      count_of(of_students, "answer was", "answers were") + " compared; " +
      count_of(report.pairs.size(), "pair is", "pairs are") + " much alike.";
  if (report.too_short > 0) {
    text += " " + count_of(report.too_short, "answer is", "answers are") +
            " too short to say anything (fewer than " + std::to_string(kFewestTokens) +
            " tokens that are not the starter's).";
  }
  return text;
}

/// Where a mark begins or ends in a text.
struct Stretch {
  std::size_t begin = 0, end = 0;
  std::size_t number = 0;
};

/// An answer with marks on those stretches, which do not overlap.
std::string marked(const std::string& text, std::vector<Stretch> stretches) {
  std::sort(stretches.begin(), stretches.end(),
            [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  const std::string_view all = text;
  std::string html = "<pre>\n";
  std::size_t at = 0;
  for (const Stretch& stretch : stretches) {
    if (stretch.end > kMostBytes) break;
    html += markup(all.substr(at, stretch.begin - at));
    html += "<mark><sup>" + std::to_string(stretch.number) + "</sup>" +
            markup(all.substr(stretch.begin, stretch.end - stretch.begin)) + "</mark>";
    at = stretch.end;
  }
  return html + markup(shortened(all.substr(at), kMostBytes - at)) + "</pre>";
}

std::string answer_column(const ComparedAnswer& answer, double share,
                          std::vector<Stretch> stretches) {
  return "<div><h3>" + isolated(answer.id) + "</h3>\n<p class=\"quiet\">" +
         percent_of(share) + " of " + std::to_string(answer.own_tokens) +
         " tokens of its own</p>\n" + marked(answer.text, std::move(stretches)) +
         "</div>\n";
}

std::string side_by_side(const SimilarityReport& report, std::size_t number) {
  const AlikePair& pair = report.pairs[number];
  std::vector<Stretch> left, right;
  for (std::size_t i = 0; i < pair.rows.size(); ++i) {
    left.push_back({pair.rows[i].left_begin, pair.rows[i].left_end, i + 1});
    right.push_back({pair.rows[i].right_begin, pair.rows[i].right_end, i + 1});
  }
  return "<details id=\"pair-" + std::to_string(number + 1) +
         (number == 0 ? "\" open=\"open\">" : "\">") + "<summary>" +
         isolated(left_id(report, pair)) + " and " + isolated(right_id(report, pair)) +
         ": " + percent_of(std::max(pair.left_share, pair.right_share)) +
         "</summary>\n<div class=\"pair\">\n" +
         answer_column(report.answers[pair.left], pair.left_share, std::move(left)) +
         answer_column(report.answers[pair.right], pair.right_share, std::move(right)) +
         "</div></details>\n";
}

std::string table_row(const SimilarityReport& report, std::size_t number) {
  const AlikePair& pair = report.pairs[number];
  const std::string place = std::to_string(number + 1);
  return "<tr><td class=\"number\"><a href=\"#pair-" + place + "\">" + place +
         "</a></td><td>" + isolated(left_id(report, pair)) + "</td><td>" +
         isolated(right_id(report, pair)) + "</td><td class=\"number\">" +
         percent_of(pair.left_share) + "</td><td class=\"number\">" +
         percent_of(pair.right_share) + "</td><td class=\"number\">" +
         std::to_string(pair.tokens) + "</td></tr>\n";
}

std::string how_it_is_measured() {
  const auto percent = [](std::size_t tokens) {
    return percent_of(threshold_of(tokens));
  };
  return "A pair is flagged where at least " + percent(0) +
         " of the tokens that one of the two has beyond the starter stand in the other "
         "one too, in long rows. Of a long answer, " +
         percent(1000) +
         " are enough: nobody writes the same three hundred tokens by chance. Answers "
         "that are like the workbook's own solution, which students can read, are "
         "named with it, and with one another only where they have more in common.";
}

std::string page_of(const SimilarityReport& report, const std::string& exercise) {
  const std::size_t shown = std::min(report.pairs.size(), kMostShown);
  std::string body = "<main>\n<h1>Answers that are alike: " + markup(exercise) +
                     "</h1>\n" + element("p", summary(report), "figure") +
                     element("p", kMeaning) +
                     element("p", how_it_is_measured(), "quiet");
  if (shown > 0) {
    body +=
        "<div class=\"scroll low\"><table><thead><tr><th>Pair</th><th>One</th>"
        "<th>The other</th><th class=\"number\">Of the one</th>"
        "<th class=\"number\">Of the other</th><th class=\"number\">Tokens</th></tr>"
        "</thead><tbody>\n";
    for (std::size_t i = 0; i < shown; ++i) body += table_row(report, i);
    body += "</tbody></table></div>\n<h2>Side by side</h2>\n" +
            element("p", "Equal numbers stand before what is alike.", "quiet");
    for (std::size_t i = 0; i < shown; ++i) body += side_by_side(report, i);
  }
  if (shown < report.pairs.size()) {
    body += element("p", "The page shows the first " + std::to_string(shown) +
                             "; similarity.csv lists all.");
  }
  return html_page({"Answers that are alike: " + exercise, body + "</main>\n", ""});
}

std::string csv_of(const SimilarityReport& report) {
  std::string table =
      to_csv({"one", "other", "share_of_one", "share_of_other", "tokens"});
  for (const AlikePair& pair : report.pairs) {
    table += to_csv({harmless_cell(left_id(report, pair)),
                     harmless_cell(right_id(report, pair)), two_digits(pair.left_share),
                     two_digits(pair.right_share), std::to_string(pair.tokens)});
  }
  return table;
}

}  // namespace

Expected<void> write_similarity(const SimilarityReport& report,
                                const std::string& exercise, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  auto page = write_file(folder / "similarity.html", page_of(report, exercise));
  if (!page) return page;
  return write_file(folder / "similarity.csv", csv_of(report));
}

std::string similarity_as_text(const SimilarityReport& report) {
  if (report.pairs.empty()) return "";
  std::string text = "\n" + wrap(summary(report));
  const std::size_t listed = std::min(report.pairs.size(), kMostListed);
  for (std::size_t i = 0; i < listed; ++i) {
    const AlikePair& pair = report.pairs[i];
    const std::string share = percent_of(std::max(pair.left_share, pair.right_share));
    text += wrap(std::string(7 - share.size(), ' ') + share + "  " +
                     visible_line(left_id(report, pair)) + " and " +
                     visible_line(right_id(report, pair)),
                 9, 0);
  }
  return text + wrap("A flag is a reason to look, not a proof. similarity.html shows " +
                     std::string(report.pairs.size() > listed ? "them all" : "them") +
                     " side by side.");
}

}  // namespace pipeline

#include "classroom/summary.hpp"

#include <cmath>
#include <limits>

#include "classroom/console.hpp"
#include "classroom/json.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

const Json* headline_of(const Json& rows) {
  const Json* first = nullptr;
  for (const Json& row : rows) {
    if (!row.is_object()) continue;
    if (row.value("headline", false)) return &row;
    if (first == nullptr) first = &row;
  }
  return first;
}

double number_or_none(const Json& row, const char* key) {
  const auto value = row.find(key);
  return value != row.end() && value->is_number() ? value->get<double>() : kNone;
}

Json or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string as_text(double value) {
  return std::isfinite(value) ? number(value, 4) : "none";
}

}  // namespace

ChapterSummary read_summary(const Unit& chapter, int exit_code, std::string_view text) {
  ChapterSummary summary;
  summary.chapter = chapter;
  summary.exit_code = exit_code;
  const Json json = parse_json(text);
  if (!json.is_object() || !json.contains("rows") || !json["rows"].is_array()) {
    return summary;
  }
  const Json* row = headline_of(json["rows"]);
  if (row == nullptr) return summary;
  summary.reported = true;
  summary.what = row->value("what", "");
  summary.predicted = number_or_none(*row, "predicted");
  summary.measured = number_or_none(*row, "measured");
  summary.ratio = number_or_none(*row, "ratio");
  summary.level = json.value("level", "");
  return summary;
}

std::string summaries_as_text(const std::vector<ChapterSummary>& summaries) {
  std::vector<std::vector<std::string>> rows = {
      {"chapter", "predicted", "measured", "ratio", "level"}};
  for (const ChapterSummary& summary : summaries) {
    if (!summary.reported) {
      rows.push_back({summary.chapter.title(), "", "", "",
                      "not run: exit code " + std::to_string(summary.exit_code)});
      continue;
    }
    rows.push_back({summary.chapter.title(), as_text(summary.predicted),
                    as_text(summary.measured),
                    std::isfinite(summary.ratio) ? number(summary.ratio, 3) : "none",
                    summary.level});
  }
  // What was predicted goes below each line: beside it, it would not fit the page.
  std::string table = format_table(rows, {1, 2, 3});
  std::size_t line_end = table.find('\n');
  for (const ChapterSummary& summary : summaries) {
    line_end = table.find('\n', line_end + 1);
    if (!summary.reported) continue;
    const std::string below = "\n   " + summary.what;
    table.insert(line_end, below);
    line_end += below.size();
  }
  return table;
}

std::string summaries_as_json(const std::vector<ChapterSummary>& summaries) {
  Json json = {{"chapters", Json::array()}};
  for (const ChapterSummary& summary : summaries) {
    Json row = {{"chapter", summary.chapter.number},
                {"name", summary.chapter.name},
                {"exit_code", summary.exit_code}};
    row["what"] = summary.reported ? Json(summary.what) : Json(nullptr);
    row["predicted"] = summary.reported ? or_null(summary.predicted) : Json(nullptr);
    row["measured"] = summary.reported ? or_null(summary.measured) : Json(nullptr);
    row["ratio"] = summary.reported ? or_null(summary.ratio) : Json(nullptr);
    row["level"] = summary.reported ? Json(summary.level) : Json(nullptr);
    json["chapters"].push_back(std::move(row));
  }
  return to_text(json);
}

}  // namespace pipeline

#include "classroom/record.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <thread>
#include <utility>

#include "classroom/chapter_program.hpp"
#include "classroom/gpus.hpp"
#include "classroom/json.hpp"
#include "timeline/timeline.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

constexpr const char* kRemedy = "Write it anew: ./workbook record NN";

tl::unexpected<Error> damaged(const std::string& what) {
  return refuse("a record's " + what, kRemedy);
}

/// The number under `key`; none where there is none, or no finite one.
std::optional<double> number_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

Expected<RecordedRow> row_of(const Json& json) {
  if (!json.is_object()) return damaged("rows are not all rows");
  const std::string what = text_of(json, "what");
  const auto predicted = number_of(json, "predicted");
  const auto measured = number_of(json, "measured");
  if (what.empty()) return damaged("row has no name");
  if (!predicted || !measured) return damaged("row '" + what + "' lacks a number");
  const auto headline = json.find("headline");
  return RecordedRow{.what = what,
                     .predicted = *predicted,
                     .measured = *measured,
                     .ratio = number_of(json, "ratio"),
                     .headline = headline != json.end() && *headline == true};
}

bool is_level(std::string_view text) {
  constexpr std::array kLevels = {Level::Symbolic, Level::HostThreads,
                                  Level::Replay,   Level::OneGpu,
                                  Level::Gpus,     Level::Processes};
  return std::any_of(kLevels.begin(), kLevels.end(),
                     [&](Level level) { return text == to_text(level); });
}

/// "2026-03-01".
bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  return std::count_if(text.begin(), text.end(),
                       [](unsigned char c) { return std::isdigit(c) != 0; }) == 8;
}

Expected<Record> read_record(const Json& json) {
  if (!json.is_object()) return damaged("text is not JSON");
  Record record = {.chapter = text_of(json, "chapter"),
                   .name = text_of(json, "name"),
                   .level = text_of(json, "level"),
                   .date = text_of(json, "date"),
                   .machine = text_of(json, "machine"),
                   .rows = {}};
  if (record.chapter.empty() || record.name.empty())
    return damaged("chapter is absent");
  if (!is_level(record.level)) return damaged("level '" + record.level + "' is none");
  if (!is_date(record.date)) return damaged("date '" + record.date + "' is none");
  if (record.machine.empty()) return damaged("machine is absent");
  const auto rows = json.find("rows");
  if (rows == json.end() || !rows->is_array() || rows->empty()) {
    return damaged("rows are absent");
  }
  for (const Json& each : *rows) {
    auto row = row_of(each);
    if (!row) return tl::unexpected(row.error());
    record.rows.push_back(std::move(*row));
  }
  return record;
}

std::string ratio_text(const std::optional<double>& ratio) {
  if (!ratio) return "none";
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", *ratio);
  return text;
}

}  // namespace

Expected<Record> parse_record(std::string_view text) {
  return read_record(parse_json(text));
}

Expected<Record> record_of_report(std::string_view report, std::string date,
                                  std::string machine) {
  Json json = parse_json(report);
  if (!json.is_object()) return damaged("report is not JSON");
  json["date"] = std::move(date);
  json["machine"] = std::move(machine);
  return read_record(json);
}

std::string to_text(const Record& record) {
  Json json = {{"chapter", record.chapter}, {"name", record.name},
               {"level", record.level},     {"date", record.date},
               {"machine", record.machine}, {"rows", Json::array()}};
  for (const RecordedRow& row : record.rows) {
    json["rows"].push_back({{"what", row.what},
                            {"predicted", row.predicted},
                            {"measured", row.measured},
                            {"ratio", row.ratio ? Json(*row.ratio) : Json(nullptr)},
                            {"headline", row.headline}});
  }
  return to_text(json);
}

std::string as_table(const Record& record) {
  std::string html =
      "<table class=\"markdownTable recorded\"><caption>Recorded at level <b>" +
      xml_escaped(record.level) + "</b>, on " + xml_escaped(record.machine) + ", " +
      xml_escaped(record.date) +
      "</caption>\n<thead><tr><th scope=\"col\">What</th>"
      "<th scope=\"col\">predicted</th><th scope=\"col\">measured</th>"
      "<th scope=\"col\">ratio</th></tr></thead>\n<tbody>\n";
  for (const RecordedRow& row : record.rows) {
    html += row.headline ? "<tr class=\"headline\">" : "<tr>";
    html += "<th scope=\"row\">" + xml_escaped(row.what) + "</th><td>" +
            Quantity(row.predicted).text + "</td><td>" + Quantity(row.measured).text +
            "</td><td>" + ratio_text(row.ratio) + "</td></tr>\n";
  }
  return html + "</tbody></table>\n";
}

std::string date_of_today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[16];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &utc)};
}

std::string class_of_machine() {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return std::to_string(cores) + (cores == 1 ? " core, " : " cores, ") +
         (count_gpus() > 0 ? "a GPU" : "no GPU");
}

}  // namespace pipeline

#include "classroom/bench_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "classroom/console.hpp"
#include "classroom/json.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

double counter(const Json& run, const char* name) {
  const auto value = run.find(name);
  return value != run.end() && value->is_number()
             ? value->get<double>()
             : std::numeric_limits<double>::quiet_NaN();
}

/// True for the line that stands for a benchmark: its only run, or the median of its
/// repetitions.
bool stands_for_all(const Json& run) {
  if (run.value("run_type", "") == "aggregate") {
    return run.value("aggregate_name", "") == "median";
  }
  return run.value("repetitions", 1) <= 1;
}

/// The name without what says how it was measured: "/iterations:11", "/real_time".
std::string plain_name(std::string name) {
  for (const char* mark : {"/iterations:", "/repeats:", "/real_time", "/manual_time",
                           "/process_time", "/min_time:"}) {
    const std::size_t at = name.find(mark);
    if (at == std::string::npos) continue;
    name.erase(at, std::min(name.find('/', at + 1), name.size()) - at);
  }
  return name;
}

BenchRow to_row(const Json& run) {
  BenchRow row;
  row.name = plain_name(run.value("run_name", run.value("name", "")));
  row.ratio = counter(run, "ratio");
  row.limit = counter(run, "limit");
  row.at_most = counter(run, "at_most") != 0;
  if (run.value("error_occurred", false))
    row.error = run.value("error_message", "failed");
  return row;
}

std::string limit_text(const BenchRow& row) {
  if (!std::isfinite(row.limit)) return "";
  return (row.at_most ? "<= " : ">= ") + number(row.limit, 4);
}

std::string verdict(const BenchRow& row) {
  if (!row.error.empty()) return row.error;
  if (!std::isfinite(row.limit)) return "";
  return row.misses() ? "MISSED" : "ok";
}

}  // namespace

bool BenchRow::misses() const {
  if (!error.empty()) return true;
  if (!std::isfinite(limit)) return false;
  if (!std::isfinite(ratio)) return true;
  return at_most ? ratio > limit : ratio < limit;
}

Expected<std::vector<BenchRow>> parse_bench(std::string_view text) {
  const Json json = parse_json(text);
  std::vector<BenchRow> rows;
  if (text.empty()) return rows;
  try {
    for (const Json& run : json.at("benchmarks")) {
      if (stands_for_all(run)) rows.push_back(to_row(run));
    }
  } catch (const Json::exception&) {
    return refuse("a benchmark left no readable report",
                  "It probably crashed: run the program in build/host by hand.");
  }
  return rows;
}

std::string bench_as_text(const std::vector<BenchRow>& rows) {
  std::vector<std::vector<std::string>> table = {{"what", "ratio", "limit", "ok"}};
  for (const BenchRow& row : rows) {
    table.push_back({row.name, std::isfinite(row.ratio) ? number(row.ratio, 3) : "none",
                     limit_text(row), verdict(row)});
  }
  return format_table(table, {1});
}

std::string bench_as_json(const std::vector<BenchRow>& rows) {
  const auto or_null = [](double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  };
  Json json = {{"benchmarks", Json::array()}};
  for (const BenchRow& row : rows) {
    json["benchmarks"].push_back({{"what", row.name},
                                  {"ratio", or_null(row.ratio)},
                                  {"limit", or_null(row.limit)},
                                  {"at_most", row.at_most},
                                  {"ok", !row.misses()}});
  }
  return to_text(json);
}

}  // namespace pipeline

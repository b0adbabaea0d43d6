#include "schedule/fuzz/parsers.hpp"

#include <algorithm>
#include <cstdint>

#include "schedule/costs_text.hpp"
#include "schedule/dialect.hpp"
#include "schedule/lower.hpp"
#include "schedule/text.hpp"
#include "schedule/verify.hpp"
#include "schedule/versions.hpp"

namespace pipeline {
namespace {

/// A message is two lines for a terminal: none of it is empty, raw or endless.
std::string complaint_about(const Error& error) {
  for (const std::string& line : {error.what, error.remedy}) {
    if (line.empty()) return "a refusal says nothing";
    if (line.size() > 400) return "a refusal is endless: " + line.substr(0, 400);
    const auto is_raw = [](char c) {
      return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    };
    if (std::any_of(line.begin(), line.end(), is_raw)) return "a refusal is raw";
  }
  return "";
}

/// Larger ones take their time and no other path.
bool is_small(const Schedule& schedule) {
  constexpr std::int64_t kMostCells = 1 << 14;
  return std::int64_t{schedule.stages()} * schedule.total_micro_batches() <= kMostCells;
}

/// All that is asked of a schedule before it runs. Nothing here may crash.
void examine(const Schedule& schedule) {
  VerifyOptions options;
  options.memory_limit = {2};
  options.freed_by_input_gradient = 0.5;
  for (const std::int32_t buffers : {0, 1}) {
    options.buffers = buffers;
    if (!verify(schedule, options).empty()) continue;
    verify(lower(schedule), options);
    weight_versions(schedule);
  }
}

std::string complaint_about_writing(const Schedule& schedule, Dialect dialect) {
  const auto text = to_dialect(dialect, schedule);
  if (!text) return complaint_about(text.error());
  const auto back = parse_dialect(dialect, *text, {schedule.name});
  if (!back) return "a dialect does not read what it wrote: " + back.error().what;
  const auto again = to_dialect(dialect, *back);
  return again && *again == *text ? "" : "a dialect reads something else than it wrote";
}

std::string complaint_about(const Schedule& schedule) {
  const auto back = parse_schedule(to_text(schedule));
  if (!back) return "the text form does not read what it wrote: " + back.error().what;
  if (*back != schedule) return "the text form reads something else than it wrote";
  if (!is_small(schedule)) return "";
  examine(schedule);
  return "";
}

std::string complaint_about_text_form(std::string_view input) {
  const auto schedule = parse_schedule(input);
  if (!schedule) return complaint_about(schedule.error());
  std::string complaint = complaint_about(*schedule);
  // A schedule that is not valid may read as another one in a dialect.
  if (!complaint.empty() || !is_small(*schedule) || !verify(*schedule).empty()) {
    return complaint;
  }
  complaint = complaint_about_writing(*schedule, Dialect::Torch);
  if (!complaint.empty()) return complaint;
  return complaint_about_writing(*schedule, Dialect::ZeroBubble);
}

std::string complaint_about_dialect(std::string_view input, Dialect dialect) {
  const auto schedule = parse_dialect(dialect, input);
  if (!schedule) return complaint_about(schedule.error());
  std::string complaint = complaint_about(*schedule);
  if (!complaint.empty() || !is_small(*schedule)) return complaint;
  complaint = complaint_about_writing(*schedule, dialect);
  if (!complaint.empty()) return complaint;
  const auto text = to_dialect(dialect, *schedule);
  if (!text) return "";
  const auto back = parse_dialect(dialect, *text);
  return *back == *schedule ? "" : "a file read, written and read is another schedule";
}

std::string complaint_about_costs(std::string_view typed,
                                  std::optional<std::string_view> file) {
  const auto costs = parse_costs(typed, file);
  if (!costs) return complaint_about(costs.error());
  const auto stages = static_cast<std::int32_t>(costs->stages.size());
  return fault_of(*costs, stages) ? "costs were read that are none" : "";
}

}  // namespace

std::string complaint_about_parsers(std::string_view input) {
  std::string complaint = complaint_about_text_form(input);
  if (complaint.empty()) complaint = complaint_about_dialect(input, Dialect::Torch);
  if (complaint.empty())
    complaint = complaint_about_dialect(input, Dialect::ZeroBubble);
  if (complaint.empty()) complaint = complaint_about_costs(input, std::nullopt);
  if (complaint.empty()) complaint = complaint_about_costs("", input);
  return complaint;
}

}  // namespace pipeline

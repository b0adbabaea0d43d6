#include "classroom/schedule_report.hpp"

#include <algorithm>
#include <utility>

#include "classroom/console.hpp"
#include "classroom/json.hpp"
#include "schedule/numbers.hpp"
#include "schedule/recompute.hpp"
#include "timeline/csv.hpp"
#include "timeline/draw_svg.hpp"
#include "timeline/draw_text.hpp"
#include "timeline/fraction.hpp"
#include "timeline/simulate.hpp"
#include "timeline/trace.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

template <typename T>
std::string joined(const std::vector<T>& values) {
  std::string text;
  for (const T value : values) {
    text += (text.empty() ? "" : ", ") + number(static_cast<double>(value), 4);
  }
  return text;
}

Json rows_as_json(const ScheduleReport& report) {
  Json rows = Json::array();
  for (std::size_t d = 0; d < report.schedule.rows.size(); ++d) {
    Json row = Json::array();
    for (std::size_t i = 0; i < report.schedule.rows[d].size(); ++i) {
      const Action& action = report.schedule.rows[d][i].action;
      Json entry = {{"kind", std::string(kind_name(action.kind))},
                    {"stage", action.stage},
                    {"micro_batch", action.micro_batch},
                    {"slice", action.slice}};
      entry["start"] =
          report.timeline ? Json(report.timeline->spans[d][i].start) : Json();
      entry["end"] = report.timeline ? Json(report.timeline->spans[d][i].end) : Json();
      row.push_back(std::move(entry));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Expected<ScheduleReport> make_report(Schedule schedule, const Costs& costs,
                                     std::vector<Fault> faults,
                                     const MemoryOptions& sizes) {
  ScheduleReport report;
  report.schedule = std::move(schedule);
  report.faults = std::move(faults);
  auto timeline = simulate(report.schedule, costs, {.record_transfers = true});
  if (timeline) {
    report.metrics = measure(report.schedule, *timeline);
    report.memory = memory(report.schedule, sizes);
    report.versions = weight_versions(report.schedule);
    report.timeline = std::move(*timeline);
  } else if (report.faults.empty()) {
    return tl::unexpected(timeline.error());
  }
  return report;
}

Expected<std::string> report_as_text(const ScheduleReport& report, bool verified,
                                     bool ascii, bool color) {
  TextStyle style;
  style.ascii = ascii;
  style.color = color;
  const auto picture = draw_text(report.schedule, *report.timeline, style);
  if (!picture) return tl::unexpected(picture.error());
  const Metrics& metrics = report.metrics;
  const RatioTexts ratios = ratio_texts(metrics);
  std::string text = *picture + "\n";
  text += format_table(
      {{"makespan", number(metrics.makespan, 4), "  idle fraction",
        ratios.idle_fraction},
       {"ideal", number(metrics.ideal, 4), "  idle overhead", ratios.idle_overhead},
       {"longest span", number(metrics.longest_span, 4), "  span bubble",
        ratios.span_bubble}});
  text += wrap("internal idle, a device: " + joined(metrics.internal_idle));
  text += wrap("peak activations, a device: " + joined(report.memory.peak));
  const auto recomputed = recomputes_of(report.schedule);
  if (std::any_of(recomputed.begin(), recomputed.end(),
                  [](std::int64_t count) { return count > 0; })) {
    text += wrap("recomputed forwards, a device: " + joined(recomputed));
  }
  if (report.schedule.weights != WeightPolicy::Synchronous) {
    text += wrap("weight versions, a stage: " + joined(report.versions.most_kept));
    text += wrap("updates that a gradient is late by, a stage: " +
                 joined(report.versions.most_stale));
  }
  if (!report.faults.empty() || verified) text += "\n" + faults_as_text(report);
  return text;
}

std::string faults_as_text(const ScheduleReport& report) {
  if (report.faults.empty()) return "Verified: no fault.\n";
  std::string text = counted(static_cast<std::int64_t>(report.faults.size()), "fault");
  text += ":\n";
  for (const Fault& fault : report.faults) text += wrap("- " + fault.reason);
  return text;
}

std::string report_as_json(const ScheduleReport& report, bool with_rows) {
  const bool timed = report.timeline.has_value();
  const Metrics& metrics = report.metrics;
  const auto figure = [&](const auto& value) { return timed ? Json(value) : Json(); };
  Json json = {{"schedule", clean(report.schedule.name)},
               {"devices", report.schedule.devices()},
               {"stages", report.schedule.stages()},
               {"micro_batches", report.schedule.micro_batches},
               {"steps", report.schedule.steps},
               {"makespan", figure(metrics.makespan)},
               {"ideal", figure(metrics.ideal)},
               {"longest_span", figure(metrics.longest_span)},
               {"idle_fraction", figure(metrics.idle_fraction)},
               {"idle_overhead", figure(metrics.idle_overhead)},
               {"span_bubble", figure(metrics.span_bubble)},
               {"internal_idle", figure(metrics.internal_idle)},
               {"peak_chunks", figure(report.memory.peak_chunks)},
               {"peak", figure(report.memory.peak)},
               {"recomputed", recomputes_of(report.schedule)},
               {"weight_versions", figure(report.versions.most_kept)},
               {"staleness", figure(report.versions.most_stale)},
               {"faults", Json::array()}};
  for (const Fault& fault : report.faults) json["faults"].push_back(fault.reason);
  if (with_rows) json["rows"] = rows_as_json(report);
  return to_text(json);
}

Expected<std::string> draw_report_svg(const ScheduleReport& report) {
  return draw_svg(report.schedule, *report.timeline);
}

Expected<std::string> report_as_csv(const ScheduleReport& report) {
  return to_csv(report.schedule, *report.timeline);
}

Expected<std::string> report_as_trace(const ScheduleReport& report) {
  return to_trace(report.schedule, *report.timeline);
}

}  // namespace pipeline

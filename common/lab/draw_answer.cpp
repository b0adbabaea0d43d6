#include "lab/draw_answer.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "schedule/memory_budget.hpp"
#include "schedule/numbers.hpp"
#include "timeline/critical_path.hpp"
#include "timeline/draw_svg.hpp"
#include "timeline/fraction.hpp"
#include "timeline/memory_curve.hpp"
#include "timeline/picture.hpp"
#include "timeline/simulate.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

std::string title_of(const Schedule& schedule) {
  std::string title = schedule.name + ", " + counted(schedule.devices(), "device") +
                      ", " + counted(schedule.micro_batches, "micro-batch");
  if (schedule.steps > 1) title += ", " + counted(schedule.steps, "step");
  return title;
}

std::string in_ticks(double time) { return TimeUnit{}.with_name(time); }

void write_figure(JsonWriter& json, std::string_view name, double value,
                  std::string_view text, std::string_view which) {
  json.open('{').field("name", name).field("value", value).field("text", text);
  if (!which.empty()) json.field("which", which);
  json.close('}');
}

double most_of(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, value);
  return most;
}

void write_figures(JsonWriter& json, const Studied& studied) {
  const Metrics& metrics = studied.metrics;
  const RatioTexts ratios = ratio_texts(metrics);
  const auto time = [&](std::string_view name, double value, std::string_view which) {
    write_figure(json, name, value, in_ticks(value), which);
  };
  json.key("figures").open('[');
  time("makespan", metrics.makespan, "first start to last end");
  time("ideal", metrics.ideal, "the most busy time of one device");
  write_figure(json, "utilisation", metrics.utilisation, ratios.utilisation,
               "busy / (devices × makespan)");
  write_figure(json, "idle fraction", metrics.idle_fraction, ratios.idle_fraction,
               "mean idle / makespan");
  write_figure(json, "idle overhead", metrics.idle_overhead, ratios.idle_overhead,
               "mean idle / ideal");
  write_figure(json, "span bubble", metrics.span_bubble, ratios.span_bubble,
               "(longest span − ideal) / longest span");
  time("internal idle", most_of(metrics.internal_idle),
       "the most of a device, between its first and last action");
  time("longest span", metrics.longest_span, "a device's first start to its last end");
  time("latency", metrics.first_latency, "micro-batch 0, forward through all stages");
  time("steady interval", metrics.steady_interval,
       "between micro-batches that leave, once the pipe is full");
  const double peak = most_of(studied.memory.peak);
  write_figure(json, "peak activations", peak, number(peak, 4),
               "the most that a device holds, in micro-batches");
  json.close(']');
}

/// The cells of the chain, each by its device and its first entry. Along a device both
/// are in order of time.
void write_critical(JsonWriter& json, const Studied& studied, const Picture& picture) {
  std::vector<std::size_t> next(picture.rows.size(), 0);
  json.key("critical").open('[');
  for (const CriticalStep& step :
       critical_path(studied.request.schedule, studied.timeline)) {
    if (step.is_message()) continue;
    const auto device = static_cast<std::size_t>(step.device);
    const std::vector<Cell>& cells = picture.rows[device];
    const auto holds = [&](const Cell& cell) {
      return std::find(cell.actions.begin(), cell.actions.end(), step.action) !=
             cell.actions.end();
    };
    std::size_t at = next[device];
    while (at < cells.size() && !holds(cells[at])) ++at;
    if (at == cells.size()) continue;
    json.open('[').value(device).value(cells[at].first_entry).close(']');
    next[device] = at + 1;
  }
  json.close(']');
}

/// Nothing where the schedule is too large, or no cell takes time.
void write_picture(JsonWriter& json, const Studied& studied, double until) {
  const Schedule& schedule = studied.request.schedule;
  SvgStyle style;
  style.width = studied.request.figure.width;
  style.until = until;
  style.id = studied.request.figure.id;
  std::string note;
  if (!studied.can_be_drawn()) {
    note = "This schedule has " +
           counted(static_cast<std::int64_t>(studied.entries()), "action") +
           ", more than a figure can show (" + std::to_string(kMostDrawnEntries) +
           "). Its numbers are exact.";
  } else {
    const auto live = draw_live_svg(schedule, studied.timeline, style);
    if (live) {
      json.field("svg", live->svg);
      write_frame(json, live->frame);
      write_cells(json, live->picture);
      write_strips(json, studied.memory.peak, studied.request.limits.memory_limit,
                   memory_curve(schedule, studied.timeline, studied.request.sizes()));
      write_critical(json, studied, live->picture);
      return;
    }
    note = "There is no figure: " + live.error().what + ". " + live.error().remedy;
  }
  json.field("svg", "").field("note", note);
  for (const char* none : {"cells", "strips", "critical"}) {
    json.key(none).open('[').close(']');
  }
}

}  // namespace

void write_frame(JsonWriter& json, const FigureFrame& frame) {
  json.key("frame").open('{').field("x", frame.x).field("scale", frame.scale);
  json.field("width", frame.width).field("height", frame.height);
  json.key("rows").open('[');
  for (const FigureFrame::Row& row : frame.rows) {
    json.open('{').field("y", row.y).field("height", row.height).close('}');
  }
  json.close(']').close('}');
}

void write_cells(JsonWriter& json, const Picture& picture) {
  json.key("cells").open('[');
  for (std::size_t device = 0; device < picture.rows.size(); ++device) {
    for (const Cell& cell : picture.rows[device]) {
      json.open('[').value(device).value(cell.first_entry);
      json.value(picture.origin + cell.span.start);
      json.value(picture.origin + cell.span.end);
      json.value(cell_label(cell, picture.names_stages)).close(']');
    }
  }
  json.close(']');
}

void write_known(JsonWriter& json, std::string_view name, std::optional<double> value) {
  json.key(name);
  if (value) {
    json.value(*value);
  } else {
    json.null();
  }
}

void write_strips(JsonWriter& json, const std::vector<double>& peaks,
                  const std::vector<double>& limits,
                  const std::vector<std::vector<MemoryStep>>& curves) {
  json.key("strips").open('[');
  for (std::size_t device = 0; device < peaks.size(); ++device) {
    json.open('{').field("device", device).field("peak", peaks[device]);
    write_known(json, "limit", limit_of(limits, device));
    json.key("points").open('[');
    for (const MemoryStep& step : curves[device])
      json.open('[').value(step.time).value(step.held).close(']');
    json.close(']').close('}');
  }
  json.close(']');
}

std::size_t Studied::entries() const {
  std::size_t count = 0;
  for (const Row& row : request.schedule.rows) count += row.size();
  return count;
}

LabExpected<Studied> study(const Query& query, std::string_view prefix) {
  auto request = read_lab_request(query, prefix);
  if (!request) return tl::unexpected<LabError>(std::move(request.error()));
  Studied studied;
  studied.request = std::move(*request);
  const Schedule& schedule = studied.request.schedule;
  auto timeline = simulate(schedule, studied.request.costs, {.record_transfers = true});
  if (!timeline) return refuse_field("schedule", std::move(timeline.error()));
  studied.timeline = std::move(*timeline);
  studied.metrics = measure(schedule, studied.timeline);
  studied.memory = memory(schedule, studied.request.sizes());
  studied.faults = verify(schedule, studied.request.limits);
  return studied;
}

void write_drawn(JsonWriter& json, const Studied& studied, double until) {
  json.open('{').field("ok", true);
  json.field("title", title_of(studied.request.schedule));
  write_picture(json, studied, until);
  write_figures(json, studied);
  json.key("internal_idle").open('[');
  for (const double idle : studied.metrics.internal_idle) json.value(idle);
  json.close(']').key("faults").open('[');
  for (const Fault& fault : studied.faults) json.value(fault.reason);
  json.close(']').close('}');
}

}  // namespace pipeline

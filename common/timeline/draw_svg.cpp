// From schedule and timeline to the contents of a figure.
#include "timeline/draw_svg.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "timeline/svg_figure.hpp"

namespace pipeline {
namespace {

/// A picture that is over sooner has no finite scale.
constexpr double kShortest = 1e-300;
constexpr std::int32_t kNarrowest = 240;
constexpr std::int32_t kWidest = 4000;

std::string figure_id(const Schedule& schedule, const SvgStyle& style) {
  if (!style.id.empty()) return style.id;
  std::string id = "pf-";
  for (const char c : schedule.name.substr(0, 40))
    id += is_figure_id(std::string_view(&c, 1)) ? c : '-';
  return id + "-" + number(schedule.devices(), 0) + "-" +
         number(schedule.micro_batches, 0);
}

std::optional<Error> fault_of(const SvgStyle& style) {
  if (style.width < kNarrowest || style.width > kWidest)
    return Error{"a figure " + number(style.width, 0) + " pixels wide",
                 "ask for " + number(kNarrowest, 0) + " to " + number(kWidest, 0)};
  if (!is_figure_id(style.id))
    return Error{"'" + clean(style.id) + "' cannot start an id",
                 "use letters, digits, '-' and '_'"};
  if (!std::isfinite(style.until) || style.until < 0)
    return Error{"an axis that ends at no time from 0 on",
                 "give a time, or 0 for the end of the timeline"};
  return std::nullopt;
}

/// A blank one only where `style.until` says how long the axis is.
Expected<Picture> svg_picture(const Schedule& schedule, const Timeline& timeline,
                              const SvgStyle& style, bool is_live) {
  if (auto fault = fault_of(style)) return tl::unexpected<Error>(*std::move(fault));
  const double until = is_live ? style.until : 0;
  const auto make = until > 0 ? make_picture_or_blank : make_picture;
  auto picture = make(schedule, timeline, kMostDrawnEntries, "an SVG figure");
  if (picture && std::max(picture->length, until) < kShortest)
    return refuse("this timeline takes no time that an axis could show",
                  "give at least one action a cost of 1e-300 or more");
  return picture;
}

std::vector<std::string> heading(const Schedule& schedule) {
  std::vector<std::string> parts;
  parts.push_back(clean(schedule.name.empty() ? "schedule" : schedule.name));
  parts.push_back(counted(schedule.devices(), "device"));
  if (schedule.stages() != schedule.devices())
    parts.push_back(counted(schedule.stages(), "stage"));
  if (schedule.placement.copies() > 1) parts.emplace_back("2 copies of the weights");
  parts.push_back(counted(schedule.micro_batches, "micro-batch"));
  if (schedule.steps > 1) parts.push_back(counted(schedule.steps, "step"));
  return parts;
}

/// Says in words what the picture shows.
std::string busy_times(const Picture& picture, const TimeUnit& unit) {
  constexpr std::size_t kMostDevices = 16;
  std::string out;
  for (std::size_t d = 0; d < std::min(picture.rows.size(), kMostDevices); ++d) {
    double idle = 0;
    for (const Span& span : idle_spans(picture.rows[d], picture.length))
      idle += span.length();
    out += " Device " + number(static_cast<double>(d), 0) + " is busy for " +
           unit.with_name(picture.length - idle) + " and idle for " +
           unit.with_name(idle) + ".";
  }
  return out;
}

svg::Contents contents_of(const Schedule& schedule, const Timeline& timeline,
                          const Picture& picture, const SvgStyle& style) {
  svg::Contents contents;
  contents.unit = time_unit(timeline.level, picture.length);
  contents.symbolic = timeline.level == Level::Symbolic;
  contents.heading = heading(schedule);
  contents.heading.push_back(contents.unit.with_name(picture.length));
  if (!contents.symbolic) contents.heading.emplace_back(to_text(timeline.level));
  contents.description =
      "A row a device, time from left to right." + busy_times(picture, contents.unit);
  for (std::size_t d = 0; d < picture.rows.size(); ++d)
    contents.lanes.push_back(
        {"device " + number(static_cast<double>(d), 0), "", &picture, d});
  if (style.steady) contents.steady = steady_states(schedule, timeline);
  for (Span& span : contents.steady) {
    span.start -= picture.origin;
    span.end -= picture.origin;
  }
  if (style.transfers) contents.links = find_links(schedule, timeline);
  contents.timeline = &timeline;
  return contents;
}

}  // namespace

bool is_figure_id(std::string_view id) {
  return std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '-' || c == '_';
  });
}

Expected<std::string> draw_svg(const Schedule& schedule, const Timeline& timeline,
                               const SvgStyle& style) {
  const auto picture = svg_picture(schedule, timeline, style, /*is_live=*/false);
  if (!picture) return tl::unexpected<Error>(picture.error());
  svg::Contents contents = contents_of(schedule, timeline, *picture, style);
  if (schedule.weights != WeightPolicy::Synchronous)
    contents.versions = weight_versions(schedule);
  return svg::Figure(contents, figure_id(schedule, style), style.width).write();
}

Expected<LiveSvg> draw_live_svg(const Schedule& schedule, const Timeline& timeline,
                                const SvgStyle& style) {
  if (schedule.devices() < 1)
    return refuse("a schedule without devices", "take at least one device");
  auto picture = svg_picture(schedule, timeline, style, /*is_live=*/true);
  if (!picture) return tl::unexpected<Error>(picture.error());
  svg::Contents contents = contents_of(schedule, timeline, *picture, style);
  contents.live = true;
  contents.until = style.until;
  svg::Figure figure(contents, figure_id(schedule, style), style.width);
  FigureFrame frame = figure.frame();
  std::string text = figure.write();
  return LiveSvg{std::move(text), std::move(frame), *std::move(picture)};
}

Expected<std::string> draw_comparison_svg(const Schedule& schedule,
                                          const Timeline& predicted,
                                          const Timeline& measured,
                                          const SvgStyle& style) {
  const auto above = svg_picture(schedule, predicted, style, /*is_live=*/false);
  if (!above) return tl::unexpected<Error>(above.error());
  const auto below = svg_picture(schedule, measured, style, /*is_live=*/false);
  if (!below) return tl::unexpected<Error>(below.error());
  svg::Contents contents;
  contents.unit = time_unit(measured.level, std::max(above->length, below->length));
  contents.symbolic = measured.level == Level::Symbolic;
  contents.heading = heading(schedule);
  contents.heading.push_back("predicted " + contents.unit.with_name(above->length) +
                             " (" + std::string(to_text(predicted.level)) + ")");
  contents.heading.push_back("measured " + contents.unit.with_name(below->length) +
                             " (" + std::string(to_text(measured.level)) + ")");
  contents.heading.push_back("ratio " + number(below->length / above->length, 3));
  contents.description =
      "Two rows a device, predicted above measured, time from left to right. "
      "Measured:" +
      busy_times(*below, contents.unit);
  for (std::size_t d = 0; d < above->rows.size(); ++d) {
    contents.lanes.push_back(
        {"device " + number(static_cast<double>(d), 0) + " predicted", "predicted",
         &*above, d});
    contents.lanes.push_back({"measured", "measured", &*below, d});
  }
  return svg::Figure(contents, figure_id(schedule, style), style.width).write();
}

}  // namespace pipeline

#include "lab/export_answer.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "lab/draw_answer.hpp"
#include "schedule/dialect.hpp"
#include "schedule/reading.hpp"
#include "schedule/text.hpp"
#include "timeline/csv.hpp"
#include "timeline/draw_svg.hpp"
#include "timeline/trace.hpp"

namespace pipeline {
namespace {

using Text = Expected<std::string>;

Text as_svg(const Studied& studied) {
  SvgStyle style;
  style.width = studied.request.figure.width;
  style.id = studied.request.figure.id;
  return draw_svg(studied.request.schedule, studied.timeline, style);
}

Text as_torch(const Studied& studied) {
  return to_dialect(Dialect::Torch, studied.request.schedule);
}

Text as_csv(const Studied& studied) {
  return to_csv(studied.request.schedule, studied.timeline);
}

Text as_trace(const Studied& studied) {
  return to_trace(studied.request.schedule, studied.timeline);
}

Text as_text(const Studied& studied) { return to_text(studied.request.schedule); }

struct Format {
  std::string_view name;
  std::string_view ending;
  std::string_view type;
  Text (*write)(const Studied&);
};

constexpr std::array kFormats{
    Format{"svg", ".svg", "image/svg+xml", as_svg},
    Format{"torch", ".torch.csv", "text/csv", as_torch},
    Format{"csv", ".csv", "text/csv", as_csv},
    Format{"trace", ".trace.json", "application/json", as_trace},
    Format{"text", ".txt", "text/plain", as_text},
};

LabExpected<const Format*> find_format(const Query& query) {
  const std::string* name = query.find("format");
  if (name != nullptr) {
    for (const Format& format : kFormats) {
      if (format.name == *name) return &format;
    }
  }
  return refuse_field("format",
                      {name == nullptr ? "no format was named"
                                       : "there is no format " + in_quotes(*name),
                       "Choose one of: svg, torch, csv, trace, text."});
}

}  // namespace

LabExpected<std::string> export_answer(const Query& query) {
  const auto format = find_format(query);
  if (!format) return tl::unexpected<LabError>(format.error());
  const auto studied = study(query, "");
  if (!studied) return tl::unexpected<LabError>(studied.error());
  if (!studied->can_be_drawn()) {
    return refuse_field("m",
                        {"this schedule is too long to save from here (" +
                             std::to_string(studied->entries()) + " actions, at most " +
                             std::to_string(kMostDrawnEntries) + ")",
                         "Ask for fewer micro-batches, or use ./workbook schedule."});
  }
  const auto text = (*format)->write(*studied);
  if (!text) return refuse_field("format", text.error());
  const Schedule& schedule = studied->request.schedule;
  std::string file = schedule.name + "-" + std::to_string(schedule.devices()) + "-" +
                     std::to_string(schedule.micro_batches);
  file += (*format)->ending;
  JsonWriter json;
  json.open('{').field("ok", true).field("file", file);
  json.field("type", (*format)->type).field("text", *text).close('}');
  return std::move(json).take();
}

}  // namespace pipeline

#include "lab/why_answer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "lab/draw_answer.hpp"
#include "schedule/numbers.hpp"
#include "schedule/reading.hpp"
#include "timeline/critical_path.hpp"
#include "timeline/why.hpp"

namespace pipeline {
namespace {

void write_span(JsonWriter& json, std::string_view name, const Span& span) {
  json.key(name).open('[').value(span.start).value(span.end).close(']');
}

bool is_critical(const Studied& studied, const CellAt& cell) {
  const auto chain = critical_path(studied.request.schedule, studied.timeline);
  return std::any_of(chain.begin(), chain.end(), [&](const CriticalStep& step) {
    return !step.is_message() && step.device == cell.device &&
           step.span.start == cell.span.start && step.span.end == cell.span.end;
  });
}

LabExpected<std::string> why_of_entry(const Studied& studied, std::int32_t device,
                                      std::int32_t entry) {
  const auto why = why_action(studied.request.schedule, studied.timeline, device,
                              static_cast<std::size_t>(entry));
  if (!why) return refuse_field("entry", why.error());
  JsonWriter json;
  json.open('{').field("ok", true).field("action", why->cell.label);
  write_span(json, "span", why->cell.span);
  json.field("waits", why->sentence).key("unlocks").open('[');
  for (const Unlocked& next : why->unlocks) json.value(next.sentence);
  json.close(']').field("critical", is_critical(studied, why->cell)).close('}');
  return std::move(json).take();
}

LabExpected<std::string> why_of_gap(const Studied& studied, std::int32_t device,
                                    double time) {
  const auto why = why_gap(studied.request.schedule, studied.timeline, device, time);
  if (!why) return refuse_field("time", why.error());
  JsonWriter json;
  json.open('{').field("ok", true);
  write_span(json, "gap", why->gap);
  json.field("why", why->sentence).close('}');
  return std::move(json).take();
}

}  // namespace

LabExpected<std::string> why_answer(const Query& query) {
  const auto studied = study(query, "");
  if (!studied) return tl::unexpected<LabError>(studied.error());
  if (!studied->can_be_drawn())
    return refuse_field("m", {"a schedule that cannot be drawn is not explained",
                              "Ask for fewer micro-batches or devices."});
  const auto device =
      read_count(query, "device", 0, studied->request.schedule.devices() - 1, 0);
  if (!device) return tl::unexpected<LabError>(device.error());
  const std::string* typed = query.find("time");
  if (typed != nullptr && query.find("entry") != nullptr)
    return refuse_field("time", {"an entry and a time are two questions",
                                 "Leave one of them out of the link."});
  if (typed != nullptr) {
    const auto time = amount(trimmed(*typed));
    if (!time)
      return refuse_field("time", {"time " + in_quotes(*typed) + " is not a number",
                                   "Give a time at which the device idles."});
    return why_of_gap(*studied, *device, *time);
  }
  const auto entry = read_count(query, "entry", 0, kMostDrawnEntries, 0);
  if (!entry) return tl::unexpected<LabError>(entry.error());
  return why_of_entry(*studied, *device, *entry);
}

}  // namespace pipeline

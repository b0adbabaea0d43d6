#include "timeline/trace.hpp"

#include <algorithm>
#include <limits>

#include "schedule/text.hpp"
#include "schedule/versions.hpp"
#include "timeline/picture.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kMostEntries = 1'000'000;

std::string integer(std::size_t value) { return number(static_cast<double>(value), 0); }

/// Writes the events of one process after another.
class TraceWriter {
 public:
  explicit TraceWriter(double microseconds) : microseconds_(microseconds) {}

  void add_process(const Schedule& schedule, const Timeline& timeline,
                   const std::string& name) {
    ++process_;
    schedule_ = &schedule;
    versions_ = weight_versions(schedule);
    origin_ = first_start(timeline);
    open("M", "process_name", 0);
    out_ += ",\"args\":{\"name\":\"" + json_escaped(name) + "\"}}";
    for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
      open("M", "thread_name", d);
      out_ += ",\"args\":{\"name\":\"device " + integer(d) + "\"}}";
      open("M", "thread_sort_index", d);
      out_ += ",\"args\":{\"sort_index\":" + integer(d) + "}}";
    }
    const bool names_stages = holds_several_stages(schedule);
    for (std::size_t d = 0; d < schedule.rows.size(); ++d)
      for (std::size_t i = 0; i < schedule.rows[d].size(); ++i)
        add_action(d, schedule.rows[d][i].action, timeline.spans[d][i], names_stages);
    for (const Link& link : find_links(schedule, timeline))
      add_flow(schedule, timeline, link);
  }

  const std::string& events() const { return out_; }

 private:
  static double first_start(const Timeline& timeline) {
    double first = std::numeric_limits<double>::infinity();
    for (const auto& row : timeline.spans)
      for (const Span& span : row) first = std::min(first, span.start);
    return first;
  }

  std::string time(double at) const {
    return number((at - origin_) * microseconds_, 3);
  }

  /// The fields that every event has; leaves its object open.
  void open(const char* phase, const std::string& name, std::size_t device) {
    out_ += out_.empty() ? "\n" : ",\n";
    out_ += std::string("{\"ph\":\"") + phase + "\",\"pid\":" + integer(process_) +
            ",\"tid\":" + integer(device + 1) + ",\"name\":\"" + name + "\"";
  }

  std::string arguments(const Action& action) const {
    std::string out = ",\"args\":{\"kind\":\"" + std::string(kind_name(action.kind)) +
                      "\",\"stage\":" + number(action.stage, 0) +
                      ",\"micro_batch\":" + number(action.micro_batch, 0) +
                      ",\"slice\":" + number(action.slice, 0);
    if (schedule_->placement.copies() > 1)
      out += ",\"copy\":" + number(schedule_->copy_of(action.micro_batch), 0);
    if (const auto version = versions_.of(action))
      out += ",\"version\":" + number(*version, 0);
    return out + "}}";
  }

  void add_action(std::size_t device, const Action& action, const Span& span,
                  bool names_stages) {
    const std::string kind(kind_name(action.kind));
    if (!is_communication(action.kind)) {
      open("X", to_text(action, names_stages), device);
      out_ += ",\"cat\":\"" + kind + "\",\"ts\":" + time(span.start) +
              ",\"dur\":" + number(span.length() * microseconds_, 3) +
              arguments(action);
      return;
    }
    // Transfers run beside the computation, and beside each other.
    const std::string name = kind + " " + number(action.micro_batch, 0);
    const std::string id = ",\"cat\":\"communication\",\"id\":" + integer(++ids_);
    open("b", name, device);
    out_ += id + ",\"ts\":" + time(span.start) + arguments(action);
    open("e", name, device);
    out_ += id + ",\"ts\":" + time(span.end) + "}";
  }

  /// A flow binds to the slice that encloses its time, so both ends lie in mid-slice.
  void add_flow(const Schedule& schedule, const Timeline& timeline, const Link& link) {
    const auto middle = [&](const EntryPlace& place) {
      const Span& span = timeline.spans[place.device][place.entry];
      return time(span.start + span.length() / 2);
    };
    const Action& sent = schedule.rows[link.from.device][link.from.entry].action;
    const std::string name =
        (link.kind == ActionKind::SendActivation ? "activation " : "gradient ") +
        number(sent.micro_batch, 0) +
        (sent.slice > 0 ? "." + number(sent.slice, 0) : std::string());
    const std::string id = ",\"cat\":\"transfer\",\"id\":" + integer(++ids_);
    open("s", name, link.from.device);
    out_ += id + ",\"ts\":" + middle(link.from) + "}";
    open("f", name, link.to.device);
    out_ += id + ",\"bp\":\"e\",\"ts\":" + middle(link.to) + "}";
  }

  double microseconds_;
  const Schedule* schedule_ = nullptr;  ///< of the process being written
  WeightVersions versions_;
  double origin_ = 0;
  std::size_t process_ = 0;
  std::size_t ids_ = 0;
  std::string out_;
};

double microseconds_per_unit(Level level) {
  return level == Level::Symbolic ? 1000 : 1e6;
}

std::string document(const Schedule& schedule, const std::string& levels, Level unit,
                     const TraceWriter& writer) {
  std::string out = "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"schedule\":\"";
  out += json_escaped(schedule.name) + "\"," + levels + ",\"unit\":\"";
  out += unit == Level::Symbolic ? "1 tick = 1000 us" : "us";
  out += "\"},\"traceEvents\":[" + writer.events() + "\n]}\n";
  return out;
}

std::string quoted(const char* key, Level level) {
  return std::string("\"") + key + "\":\"" + json_escaped(to_text(level)) + "\"";
}

}  // namespace

Expected<std::string> to_trace(const Schedule& schedule, const Timeline& timeline) {
  const auto entries = count_entries(schedule, timeline, kMostEntries, "a trace");
  if (!entries) return tl::unexpected<Error>(entries.error());
  TraceWriter writer(microseconds_per_unit(timeline.level));
  writer.add_process(schedule, timeline,
                     schedule.name + ", " + std::string(to_text(timeline.level)));
  return document(schedule, quoted("level", timeline.level), timeline.level, writer);
}

Expected<std::string> to_trace(const Schedule& schedule, const Timeline& predicted,
                               const Timeline& measured) {
  for (const Timeline* timeline : {&predicted, &measured}) {
    const auto entries =
        count_entries(schedule, *timeline, kMostEntries / 2, "a trace of two");
    if (!entries) return tl::unexpected<Error>(entries.error());
  }
  TraceWriter writer(microseconds_per_unit(measured.level));
  writer.add_process(schedule, predicted,
                     "predicted, " + std::string(to_text(predicted.level)));
  writer.add_process(schedule, measured,
                     "measured, " + std::string(to_text(measured.level)));
  return document(
      schedule,
      quoted("predicted", predicted.level) + "," + quoted("measured", measured.level),
      measured.level, writer);
}

}  // namespace pipeline

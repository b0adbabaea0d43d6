#include "timeline/why.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "schedule/text.hpp"
#include "timeline/picture.hpp"
#include "timeline/waits.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kMostEntries = 1'000'000;
constexpr const char* kPurpose = "an explanation";

std::string device_name(std::int32_t device) { return "device " + number(device, 0); }

/// "B0 on device 1".
std::string there(const CellAt& cell) {
  return cell.label + " on " + device_name(cell.device);
}

/// Times in words, counted from where a figure's axis begins.
class Clock {
 public:
  Clock(Level level, double origin, double length)
      : unit_(time_unit(level, length)), origin_(origin), least_(length * 1e-9) {}

  /// Clock noise does not count.
  bool is_sooner(double time, double than) const { return time < than - least_; }
  /// "10 ticks".
  std::string point(double time) const { return unit_.with_name(time - origin_); }
  std::string length(double time) const { return unit_.with_name(time); }
  /// "from 8 to 10 ticks".
  std::string stretch(const Span& span) const {
    return "from " + unit_.without_name(span.start - origin_) + " to " +
           point(span.end);
  }

 private:
  TimeUnit unit_;
  double origin_;
  double least_;
};

/// What there is to say about one timeline.
class Explainer {
 public:
  Explainer(const Schedule& schedule, const Timeline& timeline, const Picture& picture)
      : schedule_(schedule),
        waits_(schedule, timeline),
        clock_(timeline.level, picture.origin, picture.length),
        origin_(picture.origin),
        names_stages_(picture.names_stages) {}

  Why why(EntryPlace place) const;
  GapWhy why_gap(std::size_t device, const Span& gap) const;
  const Clock& clock() const { return clock_; }
  CellAt cell_at(EntryPlace place) const;

 private:
  std::vector<Unlocked> unlocked_by(const CellAt& cell) const;
  std::optional<EntryPlace> first_from(std::size_t device, double time) const;
  bool has_worked_before(std::size_t device, double time) const;
  GapCause cause_of(const GapWhy& why) const;

  std::string sentence(const Why& why) const;
  std::string sentence(const CellAt& cell, const Unlocked& unlocked) const;
  std::string sentence(const GapWhy& why) const;
  std::string message_in_words(const Why& why) const;
  std::string meeting_in_words(const Why& why) const;
  std::string rest_of_chain_in_words(const GapWhy& why) const;

  const Schedule& schedule_;
  Waits waits_;
  Clock clock_;
  double origin_;
  bool names_stages_;
};

CellAt Explainer::cell_at(EntryPlace place) const {
  const CellRange range = waits_.cell_of(place);
  CellAt cell{static_cast<std::int32_t>(place.device), range.first, "",
              waits_.span_at(place)};
  for (std::size_t i = range.first; i < range.last; ++i) {
    const EntryPlace part{place.device, i};
    if (is_communication(waits_.action_at(part).kind)) continue;
    if (cell.label.empty()) {
      cell.first_entry = i;
      cell.span = waits_.span_at(part);
    } else {
      cell.label += '+';
    }
    cell.label += to_text(waits_.action_at(part), names_stages_);
  }
  return cell;
}

Why Explainer::why(EntryPlace place) const {
  const Awaited awaited = waits_.awaited_by(place);
  Why why;
  why.cell = cell_at(place);
  why.waited_for = awaited.reason;
  why.until = awaited.until;
  if (awaited.message != Awaited::kNone) {
    why.cause = cell_at(waits_.links()[awaited.message].from);
    why.message = message_step(waits_, awaited.message, awaited.until);
  } else if (awaited.previous) {
    why.cause = cell_at(*awaited.previous);
  }
  why.sentence = sentence(why);
  why.unlocks = unlocked_by(why.cell);
  return why;
}

/// The inverse of `Waits::released_by`.
std::vector<Unlocked> Explainer::unlocked_by(const CellAt& cell) const {
  const CellRange range =
      waits_.cell_of({static_cast<std::size_t>(cell.device), cell.first_entry});
  std::vector<Unlocked> unlocks;
  for (std::size_t d = 0; d < schedule_.rows.size(); ++d) {
    for (std::size_t i = 0; i < schedule_.rows[d].size();) {
      const CellRange other = waits_.cell_of({d, i});
      i = other.last;
      const CellAt next = cell_at({d, other.first});
      if (next.label.empty()) continue;  // only communicates
      const EntryPlace place{d, next.first_entry};
      const auto by = waits_.released_by(place);
      if (!by || by->device != range.device || by->entry < range.first ||
          by->entry >= range.last) {
        continue;
      }
      Unlocked unlocked{next, waits_.awaited_by(place).reason, ""};
      unlocked.sentence = sentence(cell, unlocked);
      unlocks.push_back(std::move(unlocked));
    }
  }
  return unlocks;
}

/// The first computation of a row that starts then or later.
std::optional<EntryPlace> Explainer::first_from(std::size_t device, double time) const {
  for (std::size_t i = 0; i < schedule_.rows[device].size(); ++i) {
    const EntryPlace place{device, i};
    if (is_communication(waits_.action_at(place).kind)) continue;
    if (!clock_.is_sooner(waits_.span_at(place).start, time)) return place;
  }
  return std::nullopt;
}

bool Explainer::has_worked_before(std::size_t device, double time) const {
  for (std::size_t i = 0; i < schedule_.rows[device].size(); ++i) {
    const EntryPlace place{device, i};
    if (is_communication(waits_.action_at(place).kind)) continue;
    if (clock_.is_sooner(waits_.span_at(place).start, time)) return true;
  }
  return false;
}

GapCause Explainer::cause_of(const GapWhy& why) const {
  if (!why.next) return GapCause::Drain;
  const auto device = static_cast<std::size_t>(why.device);
  if (!has_worked_before(device, why.gap.end)) return GapCause::WarmUp;
  if (why.next->waited_for == WaitReason::Message) return GapCause::Message;
  if (why.next->waited_for == WaitReason::Meeting) return GapCause::Meeting;
  return GapCause::Other;
}

GapWhy Explainer::why_gap(std::size_t device, const Span& gap) const {
  GapWhy why;
  why.device = static_cast<std::int32_t>(device);
  why.gap = gap;
  const auto next = first_from(device, gap.end);
  if (next) {
    why.next = this->why(*next);
    why.chain = chain_to(waits_, *next, gap.start);
    why.chain.pop_back();  // `next` itself
    std::erase_if(why.chain,
                  [](const CriticalStep& step) { return step.span.length() <= 0; });
  }
  why.cause = cause_of(why);
  why.sentence = sentence(why);
  return why;
}

// ---- In words
// --------------------------------------------------------------------------

/// "the gradient that B0 on device 1 makes from 8 to 10 ticks, which arrives at 12
/// ticks".
std::string Explainer::message_in_words(const Why& why) const {
  const bool forward = why.message->action.kind == ActionKind::SendActivation;
  std::string words = forward ? "the activation that " : "the gradient that ";
  words += there(*why.cause) + " makes " + clock_.stretch(why.cause->span);
  if (why.message->waited_for == WaitReason::Link) {
    words += ", which its link is free for at " +
             clock_.point(why.message->span.start) + " and which arrives at " +
             clock_.point(why.until);
  } else if (clock_.is_sooner(why.cause->span.end, why.until)) {
    words += ", which arrives at " + clock_.point(why.until);
  }
  return words;
}

/// "device 3 comes to it last, at 40 ticks, after B7".
std::string Explainer::meeting_in_words(const Why& why) const {
  if (!why.cause) return "another device comes to it last";
  const std::int32_t last = why.message ? why.message->to_device : why.cause->device;
  std::string words = device_name(last) + " comes to it last, at ";
  words += clock_.point(why.until) + ", after ";
  return words + (why.message ? message_in_words(why) : why.cause->label);
}

std::string Explainer::sentence(const Why& why) const {
  const std::string& label = why.cell.label;
  std::string words = label + " could not start earlier: ";
  switch (why.waited_for) {
    case WaitReason::Device:
      words += device_name(why.cell.device);
      words += why.cause->span.length() > 0 ? " was busy with " : " had to come to ";
      words += why.cause->label +
               (why.cause->span.length() > 0 ? " until " : " first, at ") +
               clock_.point(why.until);
      break;
    case WaitReason::Message:
      words += "it needs " + message_in_words(why);
      break;
    case WaitReason::Meeting:
      words += "several devices do it together, and " + meeting_in_words(why);
      break;
    default:
      if (clock_.is_sooner(origin_, why.cell.span.start)) {
        return label + " waits for nothing that the timeline shows.";
      }
      return label + " waits for nothing: it needs no other device, and its own has " +
             "nothing to do before it.";
  }
  if (clock_.is_sooner(why.until, why.cell.span.start)) {
    words += "; for the " + clock_.length(why.cell.span.start - why.until) +
             " after that the timeline shows no reason";
  }
  return words + ".";
}

std::string Explainer::sentence(const CellAt& cell, const Unlocked& unlocked) const {
  const CellAt& next = unlocked.cell;
  const std::string when = " starts at " + clock_.point(next.span.start);
  switch (unlocked.through) {
    case WaitReason::Device:
      return next.label + when + ", when " + cell.label + " leaves " +
             device_name(cell.device) + " free.";
    case WaitReason::Meeting:
      return there(next) + when + ": " + cell.label + " is the last that it waits for.";
    default:
      return there(next) + when + ", when what " + cell.label + " makes has arrived.";
  }
}

/// "; before that come B0 on device 2 and B0 on device 3".
std::string Explainer::rest_of_chain_in_words(const GapWhy& why) const {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (auto step = why.chain.rbegin(); step != why.chain.rend(); ++step) {
    if (step->is_message()) continue;
    names.push_back(
        there(cell_at({static_cast<std::size_t>(step->device), step->entry})));
  }
  // The sentence has named the cause already.
  if (!names.empty() && why.next->cause && names[0] == there(*why.next->cause))
    names.erase(names.begin());
  if (names.empty()) return "";
  std::string words = "; before that ";
  words += names.size() == 1 ? "comes " : "come ";
  const std::size_t said = std::min(names.size(), kMost);
  for (std::size_t i = 0; i < said; ++i) {
    if (i > 0) words += i + 1 == names.size() ? " and " : ", ";
    words += names[i];
  }
  if (names.size() > said)
    words += " and " + number(static_cast<double>(names.size() - said), 0) + " more";
  return words;
}

std::string Explainer::sentence(const GapWhy& why) const {
  const std::string device = device_name(why.device);
  std::string words = "This bubble exists because ";
  const auto waits = [&](const std::string& rest) {
    return why.next->cell.label + " waits for " + rest + rest_of_chain_in_words(why);
  };
  switch (why.cause) {
    case GapCause::Drain:
      if (!has_worked_before(static_cast<std::size_t>(why.device), why.gap.end))
        return words + device + " has nothing to do in this schedule.";
      return words + device + " has done all its work by " +
             clock_.point(why.gap.start) +
             " (drain), and other devices are at work until " +
             clock_.point(why.gap.end) + ".";
    case GapCause::WarmUp:
      words += "nothing has reached " + device + " yet (warm-up): ";
      return words +
             (why.next->message ? waits(message_in_words(*why.next))
                                : why.next->cell.label + " is the first that it does") +
             ".";
    case GapCause::Message:
      return words + waits(message_in_words(*why.next)) + ".";
    case GapCause::Meeting:
      return words + "several devices do " + why.next->cell.label + " together, and " +
             meeting_in_words(*why.next) + rest_of_chain_in_words(why) + ".";
    case GapCause::Other:
      break;
  }
  return words + why.next->cell.label + " starts at " + clock_.point(why.gap.end) +
         ", for which the timeline shows no reason.";
}

Expected<Picture> picture_for(const Schedule& schedule, const Timeline& timeline,
                              std::int32_t device) {
  auto picture = make_picture_or_blank(schedule, timeline, kMostEntries, kPurpose);
  if (picture && (device < 0 || device >= schedule.devices()))
    return refuse("there is no " + device_name(device),
                  "ask for one from 0 to " + number(schedule.devices() - 1, 0));
  return picture;
}

}  // namespace

Expected<Why> why_action(const Schedule& schedule, const Timeline& timeline,
                         std::int32_t device, std::size_t entry) {
  const auto picture = picture_for(schedule, timeline, device);
  if (!picture) return tl::unexpected<Error>(picture.error());
  const EntryPlace place{static_cast<std::size_t>(device), entry};
  const Row& row = schedule.rows[place.device];
  if (entry >= row.size())
    return refuse(
        device_name(device) + " has no entry " + number(static_cast<double>(entry), 0),
        "its row has " + counted(static_cast<std::int64_t>(row.size()), "action") +
            ", counted from 0");
  if (is_communication(row[entry].action.kind))
    return refuse(
        to_text(row[entry].action, picture->names_stages) + " only communicates",
        "ask about the action that makes or needs the message");
  return Explainer(schedule, timeline, *picture).why(place);
}

Expected<GapWhy> why_gap(const Schedule& schedule, const Timeline& timeline,
                         std::int32_t device, double time) {
  if (!std::isfinite(time))
    return refuse("a bubble is sought at no time at all", "give a finite time");
  const auto picture = picture_for(schedule, timeline, device);
  if (!picture) return tl::unexpected<Error>(picture.error());
  const double at = time - picture->origin;
  const auto row = static_cast<std::size_t>(device);
  const Explainer explainer(schedule, timeline, *picture);
  for (const Span& idle : idle_spans(picture->rows[row], picture->length)) {
    if (at < idle.start || at >= idle.end) continue;
    return explainer.why_gap(
        row, {idle.start + picture->origin, idle.end + picture->origin});
  }
  const std::string when = explainer.clock().point(time);
  for (const Cell& cell : picture->rows[row]) {
    if (at < cell.span.start || at >= cell.span.end) continue;
    return refuse(device_name(device) + " is busy with " +
                      cell_label(cell, picture->names_stages) + " at " + when,
                  "ask about that action");
  }
  return refuse(
      when + " is no moment of this timeline",
      "ask for one from 0 on and before " + explainer.clock().length(picture->length));
}

}  // namespace pipeline

// Walks backwards: from the last action to what it waited for, to what that waited for,
// until something waited for nothing.
#include "timeline/critical_path.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>

#include "timeline/picture.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Joined entries that run together: [first, last) of a row.
struct CellRange {
  std::size_t device = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

/// What a cell waited for last: a message, or else the entry before it on its device.
struct Awaited {
  std::optional<EntryPlace> previous;
  std::size_t message = kNone;  ///< none where it waited for the device
  double until = 0;             ///< when that ended or arrived
};

class Walk {
 public:
  Walk(const Schedule& schedule, const Timeline& timeline)
      : schedule_(schedule),
        timeline_(timeline),
        links_(find_links(schedule, timeline)) {
    find_incoming();
    find_earlier_messages();
    find_meetings();
    const bool lowered =
        std::any_of(schedule.rows.begin(), schedule.rows.end(), [](const Row& row) {
          return std::any_of(row.begin(), row.end(), [](const Entry& entry) {
            return is_communication(entry.action.kind);
          });
        });
    predicted_ = timeline.level == Level::Symbolic || timeline.level == Level::Replay;
    shows_messages_ = lowered || !timeline.transfers.empty();
  }

  /// Walks backwards; the steps in order of time.
  std::vector<CriticalStep> steps() {
    std::optional<EntryPlace> place = last_to_end();
    while (place) place = step_back(*place);
    std::erase_if(steps_, [](const CriticalStep& s) {
      return s.span.length() <= 0 && s.waited_for != WaitReason::Meeting;
    });
    std::reverse(steps_.begin(), steps_.end());
    return std::move(steps_);
  }

 private:
  const Action& action_at(EntryPlace place) const {
    return schedule_.rows[place.device][place.entry].action;
  }
  const Span& span_at(EntryPlace place) const {
    return timeline_.spans[place.device][place.entry];
  }

  void find_incoming() {
    for (const Row& row : schedule_.rows) incoming_.emplace_back(row.size(), kNone);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      incoming_[links_[i].to.device][links_[i].to.entry] = i;
    }
  }

  /// For each message the one before it between the same two devices.
  void find_earlier_messages() {
    std::vector<std::size_t> order(links_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto way = [this](std::size_t i) {
      return std::tuple(links_[i].from.device, links_[i].to.device);
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(way(a), links_[a].span.start, links_[a].from.entry) <
             std::tuple(way(b), links_[b].span.start, links_[b].from.entry);
    });
    earlier_.assign(links_.size(), kNone);
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (way(order[i]) == way(order[i - 1])) earlier_[order[i]] = order[i - 1];
    }
  }

  /// Actions that met have one key: a Reduce its stage and step, a norm its step.
  using MeetingKey = std::tuple<ActionKind, std::int32_t, std::int32_t>;

  std::optional<MeetingKey> meeting_of(const Action& action) const {
    const bool norm = action.kind == ActionKind::ReduceNorm;
    const bool reduce =
        action.kind == ActionKind::Reduce && schedule_.placement.copies() > 1;
    if (!norm && !reduce) return std::nullopt;
    return MeetingKey{action.kind, norm ? -1 : action.stage,
                      action.micro_batch / std::max(schedule_.micro_batches, 1)};
  }

  void find_meetings() {
    for (std::size_t d = 0; d < schedule_.rows.size(); ++d) {
      for (std::size_t i = 0; i < schedule_.rows[d].size(); ++i) {
        const auto key = meeting_of(action_at({d, i}));
        if (key) meetings_[*key].push_back({d, i});
      }
    }
  }

  std::optional<EntryPlace> last_to_end() const {
    std::optional<EntryPlace> last;
    for (std::size_t d = 0; d < schedule_.rows.size(); ++d) {
      for (std::size_t i = 0; i < schedule_.rows[d].size(); ++i) {
        const EntryPlace place{d, i};
        if (is_communication(action_at(place).kind)) continue;
        if (!last || span_at(place).end > span_at(*last).end) last = place;
      }
    }
    return last;
  }

  CellRange cell_of(EntryPlace place) const {
    const Row& row = schedule_.rows[place.device];
    CellRange cell{place.device, place.entry, place.entry};
    while (cell.first > 0 && row[cell.first - 1].with_next) --cell.first;
    while (cell.last + 1 < row.size() && row[cell.last].with_next) ++cell.last;
    ++cell.last;
    return cell;
  }

  /// The last entry that the device computed before this cell.
  std::optional<EntryPlace> before(const CellRange& cell) const {
    for (std::size_t i = cell.first; i > 0; --i) {
      const EntryPlace place{cell.device, i - 1};
      if (!is_communication(action_at(place).kind)) return place;
    }
    return std::nullopt;
  }

  /// Which message of a cell arrived last.
  std::size_t latest_message(const CellRange& cell) const {
    std::size_t latest = kNone;
    for (std::size_t i = cell.first; i < cell.last; ++i) {
      const std::size_t link = incoming_[cell.device][i];
      if (link == kNone) continue;
      if (latest == kNone || links_[link].span.end > links_[latest].span.end) {
        latest = link;
      }
    }
    return latest;
  }

  Awaited awaited_by(EntryPlace place) const {
    const CellRange cell = cell_of(place);
    Awaited awaited{.previous = before(cell)};
    if (awaited.previous) awaited.until = span_at(*awaited.previous).end;
    const std::size_t message = latest_message(cell);
    if (message == kNone) return awaited;
    const double arrival =
        arrival_of(links_[message], span_at(place).start, awaited.previous);
    if (!awaited.previous || arrival > awaited.until) {
      awaited.message = message;
      awaited.until = arrival;
    }
    return awaited;
  }

  /// Adds the step at `place` and the messages that it waited for; returns the action
  /// that was waited for.
  std::optional<EntryPlace> step_back(EntryPlace place) {
    Awaited awaited = awaited_by(place);
    const auto device = static_cast<std::int32_t>(place.device);
    CriticalStep step{action_at(place), device, device, span_at(place),
                      awaited.message != kNone ? WaitReason::Message
                      : awaited.previous       ? WaitReason::Device
                                               : WaitReason::Nothing};
    if (const auto key = meeting_of(step.action)) {
      for (const EntryPlace& other : meetings_.at(*key)) {
        const Awaited there = awaited_by(other);
        if (other.device == place.device || there.until <= awaited.until) continue;
        awaited = there;
        step.waited_for = WaitReason::Meeting;
      }
    }
    steps_.push_back(step);
    return awaited.message != kNone ? follow_message(awaited.message, awaited.until)
                                    : awaited.previous;
  }

  double arrival_of(const Link& link, double start,
                    std::optional<EntryPlace> previous) const {
    const bool idle_before = !previous || start > span_at(*previous).end;
    if (predicted_ && !shows_messages_ && idle_before) return start;
    return link.span.end;
  }

  /// Adds a message and, on a link that was busy, those that were before it.
  EntryPlace follow_message(std::size_t message, double end) {
    while (true) {
      const Link& link = links_[message];
      Action action = action_at(link.from);
      action.kind = link.kind;
      const bool queued = predicted_ && earlier_[message] != kNone &&
                          link.span.start > span_at(link.from).end;
      steps_.push_back({action,
                        static_cast<std::int32_t>(link.from.device),
                        static_cast<std::int32_t>(link.to.device),
                        {link.span.start, end},
                        queued ? WaitReason::Link : WaitReason::Producer});
      if (!queued) return link.from;
      end = link.span.start;
      message = earlier_[message];
    }
  }

  const Schedule& schedule_;
  const Timeline& timeline_;
  std::vector<Link> links_;
  std::vector<std::vector<std::size_t>> incoming_;  ///< per entry: index into links_
  std::vector<std::size_t> earlier_;                ///< per link: index into links_
  std::map<MeetingKey, std::vector<EntryPlace>> meetings_;
  bool predicted_ = false;
  bool shows_messages_ = false;
  std::vector<CriticalStep> steps_;  ///< from the last to the first
};

}  // namespace

std::string_view to_text(WaitReason reason) {
  switch (reason) {
    case WaitReason::Nothing:
      return "nothing";
    case WaitReason::Device:
      return "device";
    case WaitReason::Message:
      return "message";
    case WaitReason::Meeting:
      return "meeting";
    case WaitReason::Producer:
      return "producer";
    case WaitReason::Link:
      return "link";
  }
  return "unknown";
}

std::vector<CriticalStep> critical_path(const Schedule& schedule,
                                        const Timeline& timeline) {
  if (!belongs_to(timeline, schedule)) return {};
  return Walk(schedule, timeline).steps();
}

}  // namespace pipeline

#include "timeline/waits.hpp"

#include <algorithm>

namespace pipeline {
namespace {

constexpr std::size_t kNone = Awaited::kNone;

bool has_communication(const Row& row) {
  return std::any_of(row.begin(), row.end(), [](const Entry& entry) {
    return is_communication(entry.action.kind);
  });
}

/// Collects the steps of a chain, from the last to the first.
class Walk {
 public:
  Walk(const Waits& waits, double since) : waits_(waits), since_(since) {}

  std::vector<CriticalStep> back_from(EntryPlace last) {
    std::optional<EntryPlace> place = last;
    while (place) place = step_back(*place);
    std::reverse(steps_.begin(), steps_.end());
    return std::move(steps_);
  }

 private:
  bool is_done(const Span& span) const { return span.start <= since_; }

  /// Adds the step at `place` and the messages that it waited for; returns the action
  /// that was waited for.
  std::optional<EntryPlace> step_back(EntryPlace place) {
    const Awaited awaited = waits_.awaited_by(place);
    const auto device = static_cast<std::int32_t>(place.device);
    steps_.push_back({waits_.action_at(place), device, device, waits_.span_at(place),
                      awaited.reason, place.entry});
    if (is_done(steps_.back().span)) return std::nullopt;
    return awaited.message != kNone ? follow_message(awaited.message, awaited.until)
                                    : awaited.previous;
  }

  /// Adds a message and, on a link that was busy, those that were before it.
  std::optional<EntryPlace> follow_message(std::size_t message, double end) {
    while (true) {
      steps_.push_back(message_step(waits_, message, end));
      const Span span = steps_.back().span;
      if (is_done(span)) return std::nullopt;
      const std::size_t earlier = waits_.queued_behind(message);
      if (earlier == kNone) return waits_.links()[message].from;
      end = span.start;
      message = earlier;
    }
  }

  const Waits& waits_;
  double since_;
  std::vector<CriticalStep> steps_;
};

}  // namespace

Waits::Waits(const Schedule& schedule, const Timeline& timeline)
    : schedule_(schedule), timeline_(timeline), links_(find_links(schedule, timeline)) {
  find_incoming();
  find_earlier_messages();
  find_meetings();
  find_holders();
  predicted_ = timeline.level == Level::Symbolic || timeline.level == Level::Replay;
  shows_messages_ =
      !timeline.transfers.empty() ||
      std::any_of(schedule.rows.begin(), schedule.rows.end(), has_communication);
}

void Waits::find_incoming() {
  for (const Row& row : schedule_.rows) incoming_.emplace_back(row.size(), kNone);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    incoming_[links_[i].to.device][links_[i].to.entry] = i;
  }
}

/// For each message the one before it between the same two devices.
void Waits::find_earlier_messages() {
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

std::optional<Waits::MeetingKey> Waits::meeting_of(const Action& action) const {
  const bool norm = action.kind == ActionKind::ReduceNorm;
  const bool reduce =
      action.kind == ActionKind::Reduce && schedule_.placement.copies() > 1;
  if (!norm && !reduce) return std::nullopt;
  return MeetingKey{action.kind, norm ? -1 : action.stage,
                    action.micro_batch / std::max(schedule_.micro_batches, 1)};
}

void Waits::find_meetings() {
  for (std::size_t d = 0; d < schedule_.rows.size(); ++d) {
    for (std::size_t i = 0; i < schedule_.rows[d].size(); ++i) {
      const auto key = meeting_of(action_at({d, i}));
      if (key) meetings_[*key].push_back({d, i});
    }
  }
}

/// Who is to blame at each entry for what comes after it. What takes no time and had no
/// more to wait for than its device holds nobody up: not the update of PipeDream, but
/// the backward before it. A meeting waits for others, and stays.
void Waits::find_holders() {
  for (std::size_t d = 0; d < schedule_.rows.size(); ++d) {
    std::vector<std::size_t>& holders = holders_.emplace_back();
    std::size_t holder = kNone;
    for (std::size_t i = 0; i < schedule_.rows[d].size(); ++i) {
      const Action& action = action_at({d, i});
      const Span& span = span_at({d, i});
      const bool waited_for_holder =
          holder != kNone && span.start <= span_at({d, holder}).end;
      const bool holds_nobody_up =
          span.length() <= 0 && waited_for_holder && !meeting_of(action);
      if (!is_communication(action.kind) && !holds_nobody_up) holder = i;
      holders.push_back(holder);
    }
  }
}

CellRange Waits::cell_of(EntryPlace place) const {
  const Row& row = schedule_.rows[place.device];
  CellRange cell{place.device, place.entry, place.entry};
  while (cell.first > 0 && row[cell.first - 1].with_next) --cell.first;
  while (cell.last + 1 < row.size() && row[cell.last].with_next) ++cell.last;
  ++cell.last;
  return cell;
}

/// The entry that the device was busy with, or came to, before this cell.
std::optional<EntryPlace> Waits::before(const CellRange& cell) const {
  const std::size_t holder =
      cell.first == 0 ? kNone : holders_[cell.device][cell.first - 1];
  if (holder == kNone) return std::nullopt;
  return EntryPlace{cell.device, holder};
}

/// Which message of a cell arrived last.
std::size_t Waits::latest_message(const CellRange& cell) const {
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

double Waits::arrival_of(const Link& link, double start,
                         std::optional<EntryPlace> previous) const {
  const bool idle_before = !previous || start > span_at(*previous).end;
  if (predicted_ && !shows_messages_ && idle_before) return start;
  return link.span.end;
}

/// Its device or its message: what it waited for before it came to a meeting.
Awaited Waits::awaited_alone(EntryPlace place) const {
  const CellRange cell = cell_of(place);
  Awaited awaited{.previous = before(cell), .met = {}};
  if (awaited.previous) {
    awaited.reason = WaitReason::Device;
    awaited.until = span_at(*awaited.previous).end;
  }
  const std::size_t message = latest_message(cell);
  if (message == kNone) return awaited;
  const double arrival =
      arrival_of(links_[message], span_at(place).start, awaited.previous);
  if (!awaited.previous || arrival > awaited.until) {
    awaited.reason = WaitReason::Message;
    awaited.message = message;
    awaited.until = arrival;
  }
  return awaited;
}

Awaited Waits::awaited_by(EntryPlace place) const {
  Awaited awaited = awaited_alone(place);
  const auto key = meeting_of(action_at(place));
  if (!key) return awaited;
  for (const EntryPlace& other : meetings_.at(*key)) {
    const Awaited there = awaited_alone(other);
    if (other.device == place.device || there.until <= awaited.until) continue;
    awaited = there;
    awaited.reason = WaitReason::Meeting;
    awaited.met = other;
  }
  return awaited;
}

std::size_t Waits::queued_behind(std::size_t message) const {
  const Link& link = links_[message];
  const bool queued = predicted_ && earlier_[message] != kNone &&
                      link.span.start > span_at(link.from).end;
  return queued ? earlier_[message] : kNone;
}

std::optional<EntryPlace> Waits::released_by(EntryPlace place) const {
  const Awaited awaited = awaited_by(place);
  std::size_t message = awaited.message;
  if (message == kNone) return awaited.previous;
  while (queued_behind(message) != kNone) message = queued_behind(message);
  return links_[message].from;
}

CriticalStep message_step(const Waits& waits, std::size_t message, double end) {
  const Link& link = waits.links()[message];
  Action action = waits.action_at(link.from);
  action.kind = link.kind;
  const bool queued = waits.queued_behind(message) != kNone;
  return {action,
          static_cast<std::int32_t>(link.from.device),
          static_cast<std::int32_t>(link.to.device),
          {link.span.start, end},
          queued ? WaitReason::Link : WaitReason::Producer,
          link.from.entry};
}

std::vector<CriticalStep> chain_to(const Waits& waits, EntryPlace last, double since) {
  return Walk(waits, since).back_from(last);
}

}  // namespace pipeline

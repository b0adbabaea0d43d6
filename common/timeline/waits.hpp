/// \file
/// What each action of a timeline waited for. Private to those who explain timelines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "timeline/critical_path.hpp"
#include "timeline/picture.hpp"

namespace pipeline {

/// Joined entries that run together: [first, last) of a row.
struct CellRange {
  std::size_t device = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

/// What an action waited for last.
struct Awaited {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  WaitReason reason = WaitReason::Nothing;
  /// Nothing and Device: the entry before on its device, but for those that take no
  /// time and waited for nothing else. Meeting: the one whose device came last.
  std::optional<EntryPlace> previous;
  /// Which of the links it waited for: its own message, or that of the device that came
  /// last to the meeting; none where that was busy.
  std::size_t message = kNone;
  double until = 0;               ///< when that ended or arrived
  std::optional<EntryPlace> met;  ///< Meeting: the action that came last to it
};

/// The timeline must belong to the schedule, and both must outlive this.
class Waits {
 public:
  Waits(const Schedule& schedule, const Timeline& timeline);

  const Action& action_at(EntryPlace place) const {
    return schedule_.rows[place.device][place.entry].action;
  }
  const Span& span_at(EntryPlace place) const {
    return timeline_.spans[place.device][place.entry];
  }
  const std::vector<Link>& links() const { return links_; }

  CellRange cell_of(EntryPlace place) const;
  Awaited awaited_by(EntryPlace place) const;
  /// The message that this one waited for on its link, or none: it waited for its
  /// producer.
  std::size_t queued_behind(std::size_t message) const;
  /// The action whose end let this one start: `Awaited::previous`, or the
  /// producer of its message, or of the one that began the queue on the link.
  std::optional<EntryPlace> released_by(EntryPlace place) const;

 private:
  /// Actions that meet have one key: a Reduce its stage and step, a norm its step.
  using MeetingKey = std::tuple<ActionKind, std::int32_t, std::int32_t>;

  void find_incoming();
  void find_earlier_messages();
  void find_meetings();
  void find_holders();
  std::optional<MeetingKey> meeting_of(const Action& action) const;
  std::optional<EntryPlace> before(const CellRange& cell) const;
  std::size_t latest_message(const CellRange& cell) const;
  double arrival_of(const Link& link, double start,
                    std::optional<EntryPlace> previous) const;
  Awaited awaited_alone(EntryPlace place) const;

  const Schedule& schedule_;
  const Timeline& timeline_;
  std::vector<Link> links_;
  std::vector<std::vector<std::size_t>> incoming_;  ///< per entry: index into links_
  std::vector<std::size_t> earlier_;                ///< per link: index into links_
  std::map<MeetingKey, std::vector<EntryPlace>> meetings_;
  /// Per entry: which one up to it holds up what follows on its device.
  std::vector<std::vector<std::size_t>> holders_;
  bool predicted_ = false;
  bool shows_messages_ = false;
};

/// A message that is over at `end`, as a step of a chain.
CriticalStep message_step(const Waits& waits, std::size_t message, double end);

/// Walks backwards from an action to what it waited for, to what that waited for, until
/// something waited for nothing or began by `since`; the steps in order of time.
std::vector<CriticalStep> chain_to(const Waits& waits, EntryPlace last, double since);

}  // namespace pipeline

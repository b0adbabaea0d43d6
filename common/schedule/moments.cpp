#include "schedule/moments.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "schedule/census.hpp"
#include "schedule/faults.hpp"
#include "schedule/progress.hpp"
#include "schedule/shape_check.hpp"

namespace pipeline {
namespace {

constexpr std::int64_t kNothing = -1;

// All devices walk in step: a tick is one unit for each of them that need not wait, and
// what they have done is there for the others at the next tick.
class Ticks {
 public:
  Ticks(const Schedule& schedule, PendingTable& pending)
      : schedule_(schedule), progress_(schedule, pending), rows_(schedule.rows.size()) {
    moments_.resize(rows_.size());
    for (std::size_t d = 0; d < rows_.size(); ++d) {
      moments_[d].reserve(schedule.rows[d].size());
      coming_.push_back(static_cast<std::int32_t>(d));
    }
  }

  // Whether all rows came to their end.
  bool run() {
    while (!coming_.empty()) {
      awake_.swap(coming_);
      coming_.clear();
      for (const std::int32_t device : awake_) visit(device);
      for (const Unit& unit : done_) {
        for (const Entry* e = unit.begin; e != unit.end; ++e) {
          if (!is_collective(e->action.kind)) complete(e->action);
        }
      }
      done_.clear();
      ++tick_;
    }
    for (std::size_t d = 0; d < rows_.size(); ++d) {
      if (rows_[d].at != schedule_.rows[d].size()) return false;
    }
    return true;
  }

  std::vector<std::vector<Moment>> take() { return std::move(moments_); }

 private:
  struct RowState {
    std::size_t at = 0;
    std::int64_t waits_for = kNothing;
    bool joined = false;  // it stands at a collective, and takes part in it
  };
  struct Unit {
    const Entry* begin;
    const Entry* end;
  };

  // Collectives come first in their tick, and have one moment on all their devices: so
  // what a device runs in that tick is behind the whole of them.
  Moment moment_of_meeting(std::int64_t tick, const Unit& unit) const {
    Moment number = 0;
    for (const Entry* e = unit.begin; e != unit.end; ++e) {
      if (e->action.kind == ActionKind::Reduce) number = e->action.stage;
    }
    return 2 * tick * kInATick + number;
  }
  Moment moment_of(std::int32_t device) const {
    return (2 * tick_ + 1) * kInATick + device;
  }

  Unit unit_at(std::int32_t device) const {
    const Row& row = schedule_.rows[static_cast<std::size_t>(device)];
    const Entry* const begin = row.data() + rows_[static_cast<std::size_t>(device)].at;
    const Entry* end = begin + 1;
    while (end[-1].with_next) ++end;
    return {begin, end};
  }
  bool is_over(std::int32_t device) const {
    return rows_[static_cast<std::size_t>(device)].at ==
           schedule_.rows[static_cast<std::size_t>(device)].size();
  }

  void visit(std::int32_t device) {
    RowState& row = rows_[static_cast<std::size_t>(device)];
    if (row.joined) {
      const Unit unit = unit_at(device);
      if (is_missing_others(unit, row)) return;
      // The last device has come in the tick before: nothing else wakes this one.
      finish(device, unit, moment_of_meeting(tick_ - 1, unit));
    }
    if (is_over(device)) return;
    const Unit unit = unit_at(device);
    if (is_missing_input(unit, row)) return;
    const bool meets = std::any_of(unit.begin, unit.end, [](const Entry& e) {
      return is_collective(e.action.kind);
    });
    if (meets) {
      row.joined = true;
      for (const Entry* e = unit.begin; e != unit.end; ++e) {
        if (is_collective(e->action.kind)) complete(e->action);
      }
      if (is_missing_others(unit, row)) return;
    }
    finish(device, unit, meets ? moment_of_meeting(tick_, unit) : moment_of(device));
    coming_.push_back(device);
  }

  bool is_missing_input(const Unit& unit, RowState& row) {
    Action on;
    for (const Entry* e = unit.begin; e != unit.end; ++e) {
      if (!progress_.must_wait(e->action, on)) continue;
      row.waits_for = progress_.key_of(on);
      return true;
    }
    return false;
  }
  bool is_missing_others(const Unit& unit, RowState& row) {
    Action on;
    for (const Entry* e = unit.begin; e != unit.end; ++e) {
      if (!is_collective(e->action.kind)) continue;
      if (!progress_.waits_for_others(e->action, on)) continue;
      row.waits_for = progress_.key_of(on);
      return true;
    }
    return false;
  }

  void finish(std::int32_t device, const Unit& unit, Moment moment) {
    RowState& row = rows_[static_cast<std::size_t>(device)];
    moments_[static_cast<std::size_t>(device)].push_back(moment);
    row.at += static_cast<std::size_t>(unit.end - unit.begin);
    row.joined = false;
    done_.push_back(unit);
  }

  void complete(const Action& action) {
    progress_.complete(action, [this](std::int32_t device, std::int64_t key) {
      RowState& row = rows_[static_cast<std::size_t>(device)];
      if (row.waits_for != key) return;
      row.waits_for = kNothing;
      coming_.push_back(device);
    });
  }

  // More than there are devices, or stages.
  static constexpr Moment kInATick = Moment{1} << 20;

  const Schedule& schedule_;
  Progress progress_;
  std::int64_t tick_ = 0;
  std::vector<RowState> rows_;
  std::vector<std::int32_t> awake_;   // devices, in this tick
  std::vector<std::int32_t> coming_;  // in the next
  std::vector<Unit> done_;            // in this tick
  std::vector<std::vector<Moment>> moments_;
};

}  // namespace

std::optional<std::vector<std::vector<Moment>>> moments_of(const Schedule& schedule) {
  FaultList faults;
  check_shape(schedule, faults);
  if (!faults.empty()) return std::nullopt;
  Census census = take_census(schedule, faults);
  if (!faults.empty()) return std::nullopt;
  Ticks ticks(schedule, census.pending);
  if (!ticks.run()) return std::nullopt;
  return ticks.take();
}

}  // namespace pipeline

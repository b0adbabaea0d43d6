#include "schedule/machine.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schedule/progress.hpp"
#include "schedule/words.hpp"

namespace pipeline {
namespace {

using enum ActionKind;

// What a row that stopped is waiting for, beside the keys of the progress: links are
// numbered on behind those.
constexpr std::int64_t kNothing = -1;

// A queue of messages between two neighbouring stages, one way.
struct Link {
  std::int32_t sends = 0;     // posted so far
  std::int32_t receives = 0;  // posted so far
  bool in_order = true;
  std::size_t first_message = 0;  // its place among those of all links
};

// An event-driven walk: a row runs until it must wait, and is woken by the completion
// of what it waits for.
//
//     ready rows ──► advance(row): while nothing pending is needed, complete and go on
//         ▲                 │ must wait                  │ complete
//         │                 ▼                            ▼
//         └───── wake ◄── waits_[device] == that key?
class Machine {
 public:
  Machine(const Schedule& schedule, Census& census, std::int32_t buffers,
          FaultList& faults)
      : schedule_(schedule),
        pending_(census.pending),
        progress_(schedule, census.pending),
        buffers_(buffers),
        faults_(faults),
        waits_(schedule.rows.size(), kNothing) {
    if (census.lowered) make_links();
    rows_.reserve(schedule.rows.size());
    for (const Row& row : schedule.rows) {
      rows_.push_back({row.data(), row.data() + row.size(), row.data(), false});
    }
    ready_.reserve(rows_.size());
    for (auto d = static_cast<std::int32_t>(rows_.size()); d-- > 0;) {
      ready_.push_back(d);
    }
  }

  void run() {
    do {
      while (!ready_.empty()) {
        const std::int32_t device = ready_.back();
        ready_.pop_back();
        advance(device);
      }
    } while (resolve_circles());
  }

 private:
  struct RowState {
    const Entry* at;      // the first entry that has not completed
    const Entry* end;     // of the row
    const Entry* cursor;  // in a group: its members before this one are done with
    bool posted;          // the group's communication
  };

  // --- Running ---

  void advance(std::int32_t device) {
    RowState& row = rows_[static_cast<std::size_t>(device)];
    while (row.at != row.end) {
      const Action& action = row.at->action;
      if (row.at->with_next || is_met(action.kind)) {
        if (!advance_group(row, device)) return;
        continue;
      }
      if (progress_.is_pending(action)) {
        Action on;
        if (progress_.must_wait(action, on)) {
          // With a thousand rows the next entries have left the cache by the time that
          // this one goes on.
          __builtin_prefetch(row.at + std::min<std::ptrdiff_t>(4, row.end - row.at));
          return wait_for(device, on);
        }
        complete(action);
      }
      row.cursor = ++row.at;
    }
  }

  // Whether an action is not over when its row comes to it, but when another does.
  static bool is_met(ActionKind kind) {
    return is_communication(kind) || is_collective(kind);
  }

  // A group starts when all its members have what they need, posts its sends, receives
  // and collectives together, and is over when all of these are complete.
  bool advance_group(RowState& row, std::int32_t device) {
    const auto finish_member = [&row] {
      return (row.cursor++)->with_next && row.cursor != row.end;
    };
    if (!row.posted) {
      do {
        Action on;
        if (progress_.is_pending(row.cursor->action) &&
            progress_.must_wait(row.cursor->action, on)) {
          wait_for(device, on);
          return false;
        }
      } while (finish_member());
      for (const Entry* e = row.at; e != row.cursor; ++e) {
        if (is_met(e->action.kind) && progress_.is_pending(e->action)) post(e->action);
      }
      row.cursor = row.at;
      row.posted = true;
    }
    do {
      const std::int64_t key = key_of_incomplete(row.cursor->action, device);
      if (key != kNothing) {
        waits_[static_cast<std::size_t>(device)] = key;
        return false;
      }
    } while (finish_member());
    for (const Entry* e = row.at; e != row.cursor; ++e) {
      if (progress_.is_pending(e->action)) complete(e->action);
    }
    row.at = row.cursor;
    row.posted = false;
    return true;
  }

  // What the device waits for that is at a send, a receive or a collective.
  std::int64_t key_of_incomplete(const Action& action, std::int32_t device) {
    if (is_communication(action.kind)) {
      return is_end_of_link(action, device) && is_incomplete(action)
                 ? key_of_link(action)
                 : kNothing;
    }
    Action on;
    return is_collective(action.kind) && progress_.waits_for_others(action, on)
               ? progress_.key_of(on)
               : kNothing;
  }

  void wait_for(std::int32_t device, const Action& on) {
    waits_[static_cast<std::size_t>(device)] = progress_.key_of(on);
  }

  void complete(const Action& action) {
    progress_.complete(
        action, [this](std::int32_t device, std::int64_t key) { wake(device, key); });
  }

  void wake(std::int32_t device, std::int64_t key) {
    std::int64_t& wait = waits_[static_cast<std::size_t>(device)];
    if (wait != key) return;
    wait = kNothing;
    ready_.push_back(device);
  }

  // --- Links ---

  static bool is_send(const Action& action) {
    return action.kind == SendActivation || action.kind == SendGradient;
  }
  // Activations s → s+1 are link 2s, gradients s+1 → s are link 2s+1; those of the
  // second copy follow.
  std::size_t link_of(const Action& action) const {
    const auto stage = static_cast<std::size_t>(action.stage);
    const std::size_t first = schedule_.copy_of(action.micro_batch) == 0
                                  ? 0
                                  : 2 * static_cast<std::size_t>(schedule_.stages());
    switch (action.kind) {
      case SendActivation:
        return first + 2 * stage;
      case ReceiveActivation:
        return first + 2 * stage - 2;
      case SendGradient:
        return first + 2 * stage - 1;
      default:
        return first + 2 * stage + 1;
    }
  }
  std::int64_t key_of_link(const Action& action) const {
    return progress_.keys() + static_cast<std::int64_t>(link_of(action));
  }

  // A link carries the parts of its copy of the weights.
  void make_links() {
    const Parts& parts = pending_.parts();
    const std::int32_t of_first_copy =
        parts.of(schedule_.micro_batches_of_first_copy(), 0) * schedule_.steps;
    std::size_t first = 0;
    for (std::int32_t copy = 0; copy < schedule_.placement.copies(); ++copy) {
      const std::int32_t carries =
          copy == 0 ? of_first_copy : parts.count() - of_first_copy;
      for (std::int32_t i = 0; i < 2 * schedule_.stages(); ++i) {
        links_.push_back({.first_message = first});
        first += static_cast<std::size_t>(carries);
      }
    }
    messages_.resize(first);
  }

  // The part of the index-th message of a link, by whoever posted it first.
  std::int32_t& message(const Link& link, std::int32_t index) {
    return messages_[link.first_message + static_cast<std::size_t>(index)];
  }

  void post(const Action& action) {
    if (is_collective(action.kind)) return complete(action);
    pending_.erase(action);
    Link& link = links_[link_of(action)];
    const std::int32_t other_side = is_send(action) ? link.receives : link.sends;
    const std::int32_t index = is_send(action) ? link.sends++ : link.receives++;
    const std::int32_t part = pending_.parts().of(action.micro_batch, action.slice);
    std::int32_t& first = message(link, index);
    if (index >= other_side) {
      first = part;
    } else if (first != part && link.in_order) {
      link.in_order = false;
      add_mismatch(action, first);
    }
    wake(device_of(partner_of(action)), key_of_link(action));
  }

  void add_mismatch(const Action& action, std::int32_t other_part) {
    const Action partner = partner_of(action);
    const Action other =
        pending_.parts().action(partner.kind, partner.stage, other_part);
    const Action& wanted = is_send(action) ? other : action;
    const Action& came = is_send(action) ? action : other;
    faults_.add(FaultKind::Unmatched, [&] {
      return "stage " + std::to_string(wanted.stage) + " expects " +
             message_in_words(wanted) + " from " + std::to_string(came.stage) +
             ", but " + message_in_words(came) + " comes first";
    });
  }

  // Whether `device` holds this end of a link that exists. An action with a fault need
  // not, and was not posted.
  bool is_end_of_link(const Action& action, std::int32_t device) const {
    return is_communication(action.kind) && pending_.in_range(action) &&
           pending_.in_range(partner_of(action)) && device_of(action) == device;
  }

  // How many of the messages of `action`'s side of its link are complete. A send needs
  // a posted receive or a free buffer, a receive needs a posted send.
  std::int64_t completed(const Action& action) const {
    const Link& link = links_[link_of(action)];
    return is_send(action) ? static_cast<std::int64_t>(link.receives) + buffers_
                           : link.sends;
  }
  bool is_incomplete(const Action& action) const {
    const Link& link = links_[link_of(action)];
    return (is_send(action) ? link.sends : link.receives) > completed(action);
  }

  // --- When no row can go on ---

  // What one row is stuck at: `waiting` cannot run before `on` has.
  struct Wait {
    Action waiting;
    Action on;
  };

  Wait wait_of(std::int32_t device) {
    const RowState& row = rows_[static_cast<std::size_t>(device)];
    const Action& at = row.cursor->action;
    Action on;
    if (!row.posted) {
      progress_.must_wait(at, on);
      return {at, on};
    }
    if (is_collective(at.kind)) {
      progress_.waits_for_others(at, on);
      return {at, on};
    }
    // The link is behind; which of its messages is the first one?
    const auto first = static_cast<std::int32_t>(completed(at));
    const Action waiting =
        pending_.parts().action(at.kind, at.stage, message(links_[link_of(at)], first));
    return {waiting, partner_of(waiting)};
  }

  // Each stuck row waits for one other (or itself), so whoever follows the waits ends
  // in a circle. Returns whether there is something to go on with.
  bool resolve_circles() {
    constexpr std::int32_t kUnseen = -1;
    std::vector<std::int32_t> walk_of(rows_.size(), kUnseen);
    std::vector<Wait> waits(rows_.size());
    bool hangs = false;
    std::vector<std::int32_t> broken;
    for (std::int32_t start = 0; start < schedule_.devices(); ++start) {
      std::int32_t device = start;
      while (walk_of[index(device)] == kUnseen && is_stuck(device)) {
        walk_of[index(device)] = start;
        waits[index(device)] = wait_of(device);
        device = device_of(waits[index(device)].on);
      }
      if (walk_of[index(device)] != start) continue;
      if (add_circle(waits, device) == Circle::OfComputations) {
        broken.push_back(device);
      } else {
        hangs = true;
      }
    }
    if (hangs || !faults_.has_room(FaultKind::OutOfOrder)) return false;
    for (const std::int32_t device : broken)
      pretend_done(waits[index(device)].on, device);
    return !broken.empty();
  }

  static std::size_t index(std::int32_t device) {
    return static_cast<std::size_t>(device);
  }
  std::int32_t device_of(const Action& action) const {
    return schedule_.device_of(action.stage, action.micro_batch);
  }
  bool is_stuck(std::int32_t device) const {
    return rows_[index(device)].at != rows_[index(device)].end;
  }

  enum class Circle { OfComputations, WithCommunication };

  // Reports the circle through `device`.
  Circle add_circle(const std::vector<Wait>& waits, std::int32_t device) {
    std::vector<std::int32_t> devices;
    std::vector<Action> blocked;
    std::size_t communicating = 0;
    std::int32_t next = device;
    do {
      const Wait& wait = waits[index(next)];
      devices.push_back(next);
      blocked.push_back(wait.waiting);
      if (rows_[index(next)].posted && is_communication(wait.on.kind)) ++communicating;
      next = device_of(wait.on);
    } while (next != device);
    if (communicating == devices.size()) {
      faults_.add(FaultKind::Blocked,
                  [&] { return wait_cycle_in_words(schedule_, blocked); });
    } else {
      faults_.add(FaultKind::OutOfOrder,
                  [&] { return circle_in_words(waits, devices); });
    }
    return communicating > 0 ? Circle::WithCommunication : Circle::OfComputations;
  }

  static std::string circle_in_words(const std::vector<Wait>& waits,
                                     std::span<const std::int32_t> devices) {
    constexpr std::size_t kLongest = 32;
    std::string words;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (i == kLongest) {
        return words + "; and so on, " + std::to_string(devices.size()) +
               " waits in all";
      }
      const Wait& wait = waits[index(devices[i])];
      words += (i == 0 ? "device " : "; device ") + std::to_string(devices[i]) +
               " is at " + in_words(wait.waiting) + ", which waits for " +
               in_words(wait.on);
    }
    if (devices.size() == 1) words += " in the same row, which does not come before it";
    return words;
  }

  void pretend_done(const Action& action, std::int32_t waiting_device) {
    if (is_communication(action.kind)) {
      links_[link_of(action)].in_order = false;
      post(action);
    } else {
      complete(action);
    }
    // Where its own completion has not woken it (it waits for its own row).
    std::int64_t& wait = waits_[index(waiting_device)];
    if (wait != kNothing) {
      wait = kNothing;
      ready_.push_back(waiting_device);
    }
  }

  const Schedule& schedule_;
  PendingTable& pending_;
  Progress progress_;
  std::int64_t buffers_;
  FaultList& faults_;
  std::vector<RowState> rows_;
  std::vector<std::int64_t> waits_;  // by device
  std::vector<std::int32_t> ready_;  // devices
  std::vector<Link> links_;
  std::vector<std::int32_t> messages_;
};

}  // namespace

void run_abstractly(const Schedule& schedule, Census& census, std::int32_t buffers,
                    FaultList& faults) {
  Machine(schedule, census, buffers, faults).run();
}

}  // namespace pipeline

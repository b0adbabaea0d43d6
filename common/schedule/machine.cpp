#include "schedule/machine.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schedule/words.hpp"

namespace pipeline {
namespace {

using enum ActionKind;

// What an action needs done for its micro-batch: on its own stage, and on a neighbour
// (-1 the stage before, +1 the one behind). Needs that do not occur in a schedule (a
// recompute, a receive where rows are not lowered) are never pending.
struct Needs {
  KindSet own = 0;
  std::int32_t neighbour = 0;
  KindSet neighbours = 0;
};

constexpr KindSet kGivesGradient = set_of(Backward, InputGradient);
constexpr Needs kForwardNeeds{set_of(ReceiveActivation), -1, set_of(Forward)};
constexpr Needs kBackwardNeeds{set_of(Forward, Recompute, ReceiveGradient), +1,
                               kGivesGradient};
constexpr std::array<Needs, 12> kNeeds{{
    kForwardNeeds,                     // Forward
    kBackwardNeeds,                    // Backward
    kBackwardNeeds,                    // InputGradient
    {set_of(Forward, InputGradient)},  // WeightGradient
    {set_of(Forward)},                 // Recompute
    {set_of(Forward)},                 // SendActivation
    {},                                // ReceiveActivation
    {kGivesGradient},                  // SendGradient
    {},                                // ReceiveGradient
    {},                                // Reduce
    {},                                // ReduceNorm
    {},                                // Update: see must_wait
}};

// What a row that stopped is waiting for: cells are numbered from 0, links downwards
// from kFirstLink.
constexpr std::int64_t kNothing = -1;
constexpr std::int64_t kFirstLink = -2;

// A queue of messages between two neighbouring stages, one way.
struct Link {
  std::int32_t sends = 0;     // posted so far
  std::int32_t receives = 0;  // posted so far
  bool in_order = true;
};

// An event-driven walk: a row runs until it must wait, and is woken by the completion
// of what it waits for.
//
//     ready rows ──► advance(row): while nothing pending is needed, complete and go on
//         ▲                 │ must wait                  │ complete
//         │                 ▼                            ▼
//         └───── wake ◄── waits_[device] == that cell or link?
//
// Only neighbours wait for each other: a forward for the stage before, a backward for
// the stage behind, either end of a link for the other. So nobody has to be looked for.
class Machine {
 public:
  Machine(const Schedule& schedule, Census& census, std::int32_t buffers,
          FaultList& faults)
      : schedule_(schedule),
        pending_(census.pending),
        buffers_(buffers),
        faults_(faults),
        waits_(schedule.rows.size(), kNothing) {
    count_backwards();
    if (census.lowered) {
      links_.resize(2 * static_cast<std::size_t>(schedule.stages()));
      messages_.resize(links_.size() *
                       static_cast<std::size_t>(pending_.micro_batches()));
    }
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

  // --- What an action needs ---

  // Backwards that each stage has still to run in each step: its update waits for them.
  void count_backwards() {
    if (!schedule_.training) return;
    backwards_left_.reserve(static_cast<std::size_t>(schedule_.stages()) *
                            static_cast<std::size_t>(schedule_.steps));
    std::size_t cell = 0;
    for (std::int32_t i = 0; i < schedule_.stages() * schedule_.steps; ++i) {
      std::int32_t count = 0;
      for (std::int32_t k = 0; k < schedule_.micro_batches; ++k, ++cell) {
        count += (pending_[cell] & set_of(Backward)) != 0 ? 1 : 0;
        count += (pending_[cell] & set_of(WeightGradient)) != 0 ? 1 : 0;
      }
      backwards_left_.push_back(count);
    }
  }

  std::int32_t step_of(std::int32_t micro_batch) const {
    return schedule_.steps == 1 ? 0 : micro_batch / schedule_.micro_batches;
  }
  std::int32_t& backwards_left(const Action& action) {
    return backwards_left_[static_cast<std::size_t>(action.stage) *
                               static_cast<std::size_t>(schedule_.steps) +
                           static_cast<std::size_t>(step_of(action.micro_batch))];
  }

  bool is_pending(const Action& action) const {
    return pending_.in_range(action) && pending_.contains(action);
  }

  // Which of `kinds` is pending for this stage and micro-batch, into `on`.
  bool any_pending(KindSet kinds, std::int32_t stage, std::int32_t k,
                   Action& on) const {
    const auto found = static_cast<KindSet>(pending_[pending_.cell(stage, k)] & kinds);
    if (found == 0) return false;
    on = {static_cast<ActionKind>(std::countr_zero(found)), 0, stage, k};
    return true;
  }

  // Whether `action` needs something that has not run: the first such thing, into `on`.
  bool must_wait(const Action& action, Action& on) {
    const std::int32_t stage = action.stage;
    const std::int32_t k = action.micro_batch;
    const Needs& needs = kNeeds[static_cast<std::size_t>(action.kind)];
    if (any_pending(needs.own, stage, k, on)) return true;
    const std::int32_t neighbour = stage + needs.neighbour;
    if (neighbour >= 0 && neighbour < schedule_.stages() &&
        any_pending(needs.neighbours, neighbour, k, on)) {
      return true;
    }
    if (action.kind == Update) {
      return backwards_left(action) > 0 && first_backward_left(action, on);
    }
    // The first step's weights are there from the start.
    const std::int32_t step_begin = step_of(k) * schedule_.micro_batches;
    return action.kind == Forward && step_begin > 0 &&
           any_pending(set_of(Update), stage, step_begin - 1, on);
  }

  bool first_backward_left(const Action& update, Action& on) const {
    constexpr KindSet kWeights = set_of(Backward, WeightGradient);
    std::int32_t k = step_of(update.micro_batch) * schedule_.micro_batches;
    while (!any_pending(kWeights, update.stage, k, on)) ++k;
    return true;
  }

  // --- Running ---

  void advance(std::int32_t device) {
    RowState& row = rows_[static_cast<std::size_t>(device)];
    while (row.at != row.end) {
      const Action& action = row.at->action;
      if (row.at->with_next || is_communication(action.kind)) {
        if (!advance_group(row, device)) return;
        continue;
      }
      if (is_pending(action)) {
        Action on;
        if (must_wait(action, on)) {
          // With a thousand rows the next entries have left the cache by the time that
          // this one goes on.
          __builtin_prefetch(row.at + std::min<std::ptrdiff_t>(4, row.end - row.at));
          return wait_for_cell(device, on);
        }
        complete(action);
      }
      row.cursor = ++row.at;
    }
  }

  // A group starts when all its members have what they need, posts its sends and
  // receives together, and is over when all of these are complete.
  bool advance_group(RowState& row, std::int32_t device) {
    const auto finish_member = [&row] {
      return (row.cursor++)->with_next && row.cursor != row.end;
    };
    if (!row.posted) {
      do {
        Action on;
        if (is_pending(row.cursor->action) && must_wait(row.cursor->action, on)) {
          wait_for_cell(device, on);
          return false;
        }
      } while (finish_member());
      for (const Entry* e = row.at; e != row.cursor; ++e) {
        if (is_communication(e->action.kind) && is_pending(e->action)) post(e->action);
      }
      row.cursor = row.at;
      row.posted = true;
    }
    do {
      const Action& action = row.cursor->action;
      if (is_end_of_link(action, device) && is_incomplete(action)) {
        waits_[static_cast<std::size_t>(device)] = key_of_link(action);
        return false;
      }
    } while (finish_member());
    for (const Entry* e = row.at; e != row.cursor; ++e) {
      if (is_pending(e->action)) complete(e->action);
    }
    row.at = row.cursor;
    row.posted = false;
    return true;
  }

  void wait_for_cell(std::int32_t device, const Action& on) {
    waits_[static_cast<std::size_t>(device)] =
        static_cast<std::int64_t>(pending_.cell(on));
  }

  // Marks a computation as done, and wakes the neighbour that may wait for it.
  void complete(const Action& action) {
    pending_.erase(action);
    const auto key = static_cast<std::int64_t>(pending_.cell(action));
    switch (action.kind) {
      case Forward:
        if (action.stage + 1 < schedule_.stages()) wake(action.stage + 1, key);
        break;
      case Backward:
        --backwards_left(action);
        [[fallthrough]];
      case InputGradient:
        if (action.stage > 0) wake(action.stage - 1, key);
        break;
      case WeightGradient:
        --backwards_left(action);
        break;
      default:
        break;
    }
  }

  void wake(std::int32_t stage, std::int64_t key) {
    const std::int32_t device = schedule_.placement.device_of(stage);
    std::int64_t& wait = waits_[static_cast<std::size_t>(device)];
    if (wait != key) return;
    wait = kNothing;
    ready_.push_back(device);
  }

  // --- Links ---

  static bool is_send(const Action& action) {
    return action.kind == SendActivation || action.kind == SendGradient;
  }
  // Activations s → s+1 are link 2s, gradients s+1 → s are link 2s+1.
  static std::size_t link_of(const Action& action) {
    const auto stage = static_cast<std::size_t>(action.stage);
    switch (action.kind) {
      case SendActivation:
        return 2 * stage;
      case ReceiveActivation:
        return 2 * stage - 2;
      case SendGradient:
        return 2 * stage - 1;
      default:
        return 2 * stage + 1;
    }
  }
  static std::int64_t key_of_link(const Action& action) {
    return kFirstLink - static_cast<std::int64_t>(link_of(action));
  }
  // The micro-batch of the index-th message of a link, by whoever posted it first.
  std::int32_t& message(std::size_t link, std::int32_t index) {
    return messages_[link * static_cast<std::size_t>(pending_.micro_batches()) +
                     static_cast<std::size_t>(index)];
  }

  void post(const Action& action) {
    pending_.erase(action);
    Link& link = links_[link_of(action)];
    const std::int32_t other_side = is_send(action) ? link.receives : link.sends;
    const std::int32_t index = is_send(action) ? link.sends++ : link.receives++;
    std::int32_t& micro_batch = message(link_of(action), index);
    if (index >= other_side) {
      micro_batch = action.micro_batch;
    } else if (micro_batch != action.micro_batch && link.in_order) {
      link.in_order = false;
      add_mismatch(action, micro_batch);
    }
    wake(partner_of(action).stage, key_of_link(action));
  }

  void add_mismatch(const Action& action, std::int32_t other_micro_batch) {
    Action other = partner_of(action);
    other.micro_batch = other_micro_batch;
    const Action& wanted = is_send(action) ? other : action;
    const Action& came = is_send(action) ? action : other;
    faults_.add(FaultKind::Unmatched, [&] {
      const char* const data =
          wanted.kind == ReceiveActivation ? "activation " : "gradient ";
      return "stage " + std::to_string(wanted.stage) + " expects " + data +
             std::to_string(wanted.micro_batch) + " from " +
             std::to_string(came.stage) + ", but " + data +
             std::to_string(came.micro_batch) + " comes first";
    });
  }

  // Whether `device` holds this end of a link that exists. An action with a fault need
  // not, and was not posted.
  bool is_end_of_link(const Action& action, std::int32_t device) const {
    return is_communication(action.kind) && pending_.in_range(action) &&
           pending_.in_range(partner_of(action)) &&
           schedule_.placement.device_of(action.stage) == device;
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
    Action on;
    if (!row.posted) {
      must_wait(row.cursor->action, on);
      return {row.cursor->action, on};
    }
    // The link is behind; which of its messages is the first one?
    Action waiting = row.cursor->action;
    waiting.micro_batch =
        message(link_of(waiting), static_cast<std::int32_t>(completed(waiting)));
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
        device = schedule_.placement.device_of(waits[index(device)].on.stage);
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
      if (rows_[index(next)].posted) ++communicating;
      next = schedule_.placement.device_of(wait.on.stage);
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
  std::int64_t buffers_;
  FaultList& faults_;
  std::vector<RowState> rows_;
  std::vector<std::int64_t> waits_;  // by device
  std::vector<std::int32_t> ready_;  // devices
  std::vector<std::int32_t> backwards_left_;
  std::vector<Link> links_;
  std::vector<std::int32_t> messages_;
};

}  // namespace

void run_abstractly(const Schedule& schedule, Census& census, std::int32_t buffers,
                    FaultList& faults) {
  Machine(schedule, census, buffers, faults).run();
}

}  // namespace pipeline

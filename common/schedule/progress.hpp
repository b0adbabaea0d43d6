/// \file
/// What has run of a schedule, and what each action still waits for. Private to the
/// schedule part.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/pending.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// What an action needs done for its part: on its own stage, and on a neighbour (-1 the
/// stage before, +1 the one behind). Needs that do not occur in a schedule (a
/// recompute, a receive where rows are not lowered) are never pending.
struct Needs {
  KindSet own = 0;
  std::int32_t neighbour = 0;
  KindSet neighbours = 0;
};

/// The rows walk over this board: whoever comes to an action asks whether it must wait,
/// and takes it off when it has run. What a row that stopped is waiting for is a key:
/// a cell of the table, or the norm of a group.
///
/// Only neighbours wait for each other (a forward for the stage before, a backward for
/// the stage behind), and those who meet in a collective. So nobody has to be looked
/// for.
class Progress {
 public:
  using Key = std::int64_t;

  /// `pending` holds what is to run; it is used up.
  Progress(const Schedule& schedule, PendingTable& pending);

  /// Keys are below this.
  Key keys() const { return key_of_norm(groups_.count()); }
  /// A sum over copies has a key apart from its cell's, so that who waits in one is not
  /// woken by what is computed there.
  Key key_of(const Action& on) const {
    if (on.kind == ActionKind::ReduceNorm) {
      return key_of_norm(groups_.of(on.micro_batch));
    }
    const auto cell = static_cast<Key>(pending_.cell(on));
    const auto cells = static_cast<Key>(pending_.size());
    return on.kind == ActionKind::Reduce ? cells + cell : cell;
  }

  bool is_pending(const Action& action) const {
    return pending_.in_range(action) && pending_.contains(action);
  }

  /// Whether `action`, which is pending, needs something that has not run: the first
  /// such thing, into `on`.
  bool must_wait(const Action& action, Action& on) {
    const std::int32_t stage = action.stage;
    const std::int32_t part = pending_.parts().of(action.micro_batch, action.slice);
    const Needs& needs = kNeeds[static_cast<std::size_t>(action.kind)];
    if (any_pending(needs.own, stage, part, on)) return true;
    const std::int32_t neighbour = stage + needs.neighbour;
    if (neighbour >= 0 && neighbour < schedule_.stages() &&
        any_pending(needs.neighbours, neighbour, part, on)) {
      return true;
    }
    if (is_sliced_ && waits_for_slice(action, part, on)) return true;
    if (action.kind == ActionKind::Forward) return waits_for_weights(action, on);
    return action.kind >= ActionKind::Reduce && waits_for_gradients(action, on);
  }

  /// Marks a computation as done, or that its device has joined a collective, and calls
  /// `wake(device, key)` for whoever may wait for that.
  template <typename Wake>
  void complete(const Action& action, const Wake& wake) {
    pending_.erase(action);
    switch (action.kind) {
      case ActionKind::Forward:
        wake_neighbour(action, +1, wake);
        break;
      case ActionKind::Backward:
        --gradients_left(action);
        [[fallthrough]];
      case ActionKind::InputGradient:
        wake_neighbour(action, -1, wake);
        break;
      case ActionKind::WeightGradient:
        --gradients_left(action);
        break;
      case ActionKind::Reduce:
        pending_.mark_joined(action);
        wake(schedule_.device_of(action.stage, partner(action).micro_batch),
             key_of(action));
        break;
      case ActionKind::ReduceNorm:
        pending_.mark_joined(action);
        if (--norm_left(action) == 0) {
          for (std::int32_t d = 0; d < schedule_.devices(); ++d)
            wake(d, key_of(action));
        }
        break;
      default:
        break;
    }
  }

  /// What a device that stands at a collective still waits for: the part of another
  /// device, into `on`. Nothing where it has not joined (for a fault), or all are
  /// there.
  bool waits_for_others(const Action& collective, Action& on);

 private:
  static constexpr KindSet kGivesGradient =
      set_of(ActionKind::Backward, ActionKind::InputGradient);
  static constexpr Needs kForwardNeeds{set_of(ActionKind::ReceiveActivation), -1,
                                       set_of(ActionKind::Forward)};
  static constexpr Needs kBackwardNeeds{
      set_of(ActionKind::Forward, ActionKind::Recompute, ActionKind::ReceiveGradient),
      +1, kGivesGradient};
  static constexpr std::array<Needs, 12> kNeeds{{
      kForwardNeeds,                                             // Forward
      kBackwardNeeds,                                            // Backward
      kBackwardNeeds,                                            // InputGradient
      {set_of(ActionKind::Forward, ActionKind::InputGradient)},  // WeightGradient
      {set_of(ActionKind::Forward)},                             // Recompute
      {set_of(ActionKind::Forward)},                             // SendActivation
      {},                                                        // ReceiveActivation
      {kGivesGradient},                                          // SendGradient
      {},                                                        // ReceiveGradient
      {},  // Reduce: see waits_for_gradients
      {},  // ReduceNorm: the same
      {},  // Update: the same
  }};

  Key key_of_norm(std::int32_t group) const {
    return 2 * static_cast<Key>(pending_.size()) + group;
  }
  // Which of `kinds` is pending for this stage and part, into `on`.
  bool any_pending(KindSet kinds, std::int32_t stage, std::int32_t part,
                   Action& on) const {
    const auto found =
        static_cast<KindSet>(pending_[pending_.cell(stage, part)] & kinds);
    if (found == 0) return false;
    on = pending_.parts().action(static_cast<ActionKind>(std::countr_zero(found)),
                                 stage, part);
    return true;
  }
  // The first steps' weights are there from the start.
  bool waits_for_weights(const Action& forward, Action& on) const {
    const std::int32_t group = groups_.of(forward.micro_batch) - updates_behind_;
    if (group < 0 || group == groups_.of(forward.micro_batch)) return false;
    on = {ActionKind::Update, 0, forward.stage,
          groups_.last(group, groups_.copy_of(forward.micro_batch))};
    return pending_.contains(on);
  }
  bool waits_for_slice(const Action& action, std::int32_t part, Action& on) const;
  bool waits_for_gradients(const Action& action, Action& on);
  bool waits_for_gradients_of(std::int32_t stage, std::int32_t group, std::int32_t copy,
                              Action& on) const;
  bool waits_for_reduce(std::int32_t stage, std::int32_t group, Action& on) const;
  bool waits_for_norm(std::int32_t group, Action& on);
  bool norm_must_wait(const Action& norm, Action& on) const;

  template <typename Wake>
  void wake_neighbour(const Action& action, std::int32_t distance, const Wake& wake) {
    const std::int32_t stage = action.stage + distance;
    if (stage < 0 || stage >= schedule_.stages()) return;
    wake(schedule_.device_of(stage, action.micro_batch),
         static_cast<Key>(pending_.cell(action)));
  }

  // The same on the other copy of the weights.
  Action partner(const Action& reduce) const {
    const std::int32_t copy = groups_.copy_of(reduce.micro_batch);
    return {ActionKind::Reduce, 0, reduce.stage,
            groups_.last(groups_.of(reduce.micro_batch), 1 - copy)};
  }

  std::size_t index_of(std::int32_t stage, std::int32_t group,
                       std::int32_t copy) const {
    return (static_cast<std::size_t>(stage) *
                static_cast<std::size_t>(groups_.count()) +
            static_cast<std::size_t>(group)) *
               static_cast<std::size_t>(groups_.copies()) +
           static_cast<std::size_t>(copy);
  }
  std::int32_t& gradients_left(const Action& action) {
    return gradients_left_[index_of(action.stage, groups_.of(action.micro_batch),
                                    groups_.copy_of(action.micro_batch))];
  }
  std::int32_t& norm_left(const Action& norm) {
    return norm_left_[static_cast<std::size_t>(groups_.of(norm.micro_batch))];
  }

  void count_gradients();
  void count_norms();

  const Schedule& schedule_;
  PendingTable& pending_;
  UpdateGroups groups_;
  bool is_sliced_;
  // A forward needs the update of this many groups before its own; 0: of none.
  std::int32_t updates_behind_;
  // Weight gradients to come, by stage, group and copy.
  std::vector<std::int32_t> gradients_left_;
  // Devices that have not joined the norm, by group; empty where there are no norms.
  std::vector<std::int32_t> norm_left_;
  // By group: no device before this one has still to join.
  std::vector<std::int32_t> first_absent_;
  std::vector<std::vector<std::int32_t>> stages_on_;  // by device, of either copy
};

}  // namespace pipeline

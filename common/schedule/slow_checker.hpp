/// \file
/// Whether a schedule is valid, for tests of `verify`: slow, with sets and queues,
/// sweeping over all rows again and again, and sharing nothing with it. Test code.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "schedule/schedule.hpp"

namespace pipeline::test {

class SlowChecker {
 public:
  explicit SlowChecker(const Schedule& schedule, std::size_t buffers = 0)
      : s_(schedule), buffers_(buffers) {
    for (std::size_t d = 0; d < s_.rows.size(); ++d) {
      for (const Entry& e : s_.rows[d]) {
        present_.insert(e.action);
        lowered_ |= is_communication(e.action.kind);
        norm_ |= e.action.kind == ActionKind::ReduceNorm;
      }
    }
  }

  bool accepts() { return holds_what_it_must() && runs_to_the_end(); }

  // --- What there must be ---

  bool holds_what_it_must() {
    for (const std::int32_t count : s_.slices) {
      if (count < 1) return false;
    }
    std::multiset<std::tuple<std::int32_t, Action>> left;
    for (std::size_t d = 0; d < s_.rows.size(); ++d) {
      if (!s_.rows[d].empty() && s_.rows[d].back().with_next) return false;
      for (const Entry& e : s_.rows[d]) {
        left.insert({static_cast<std::int32_t>(d), e.action});
      }
    }
    const auto take = [&left](std::int32_t device, const Action& action) {
      const auto found = left.find({device, action});
      if (found == left.end()) return false;
      left.erase(found);
      return true;
    };
    for (std::int32_t s = 0; s < s_.stages(); ++s) {
      for (std::int32_t k = 0; k < s_.micro_batches * s_.steps; ++k) {
        for (std::int32_t j = 0; j < slices(k); ++j) {
          if (!holds_part(take, s, k, static_cast<std::int16_t>(j))) return false;
        }
      }
      for (std::int32_t g = 0; s_.training && g < groups(); ++g) {
        for (std::int32_t c = 0; c < copies(); ++c) {
          const std::int32_t d = device(s, c);
          const std::int32_t last = micro_batches(g, c).back();
          if (copies() == 2 && !take(d, {ActionKind::Reduce, 0, s, last})) return false;
          if (!take(d, {ActionKind::Update, 0, s, last})) return false;
        }
      }
    }
    return holds_norms(take) && left.empty();
  }

 private:
  template <typename Take>
  bool holds_part(const Take& take, std::int32_t s, std::int32_t k,
                  std::int16_t j) const {
    const std::int32_t d = device(s, copy(k));
    const auto action = [&](ActionKind kind) { return Action{kind, j, s, k}; };
    if (!take(d, action(ActionKind::Forward))) return false;
    if (lowered_ && crosses(s, s - 1, k)) {
      if (!take(d, action(ActionKind::ReceiveActivation))) return false;
      if (s_.training && !take(d, action(ActionKind::SendGradient))) return false;
    }
    if (lowered_ && crosses(s, s + 1, k)) {
      if (!take(d, action(ActionKind::SendActivation))) return false;
      if (s_.training && !take(d, action(ActionKind::ReceiveGradient))) return false;
    }
    if (!s_.training) return true;
    take(d, action(ActionKind::Recompute));
    if (take(d, action(ActionKind::Backward))) return true;
    return take(d, action(ActionKind::InputGradient)) &&
           take(d, action(ActionKind::WeightGradient));
  }

  // Of each group all norms, or none.
  template <typename Take>
  bool holds_norms(const Take& take) const {
    if (updates_each()) return true;  // none is taken, and so none may be left
    for (std::int32_t g = 0; s_.training && norm_ && g < groups(); ++g) {
      std::size_t there = 0;
      const std::vector<Action> norms = norms_of(g);
      for (const Action& norm : norms) there += take(device(norm.stage, 0), norm);
      if (there != 0 && there != norms.size()) return false;
    }
    return true;
  }

  // --- The shape of things ---

  std::int32_t copies() const {
    return s_.placement.device_of_second_copy.empty() ? 1 : 2;
  }
  std::int32_t copy(std::int32_t k) const {
    return copies() == 2 && k % s_.micro_batches >= (s_.micro_batches + 1) / 2 ? 1 : 0;
  }
  std::int32_t device(std::int32_t s, std::int32_t c) const {
    const auto& devices =
        c == 0 ? s_.placement.device_of_stage : s_.placement.device_of_second_copy;
    return devices[static_cast<std::size_t>(s)];
  }
  std::int32_t slices(std::int32_t k) const {
    return s_.slices.empty()
               ? 1
               : s_.slices[static_cast<std::size_t>(k % s_.micro_batches)];
  }
  bool updates_each() const {
    return s_.weights == WeightPolicy::Stashed ||
           s_.weights == WeightPolicy::VerticalSync;
  }
  std::int32_t groups() const {
    return updates_each() ? s_.micro_batches * s_.steps : s_.steps;
  }
  std::int32_t group(std::int32_t k) const {
    return updates_each() ? k : k / s_.micro_batches;
  }
  std::vector<std::int32_t> micro_batches(std::int32_t g, std::int32_t c) const {
    std::vector<std::int32_t> of;
    for (std::int32_t k = 0; k < s_.micro_batches * s_.steps; ++k) {
      if (group(k) == g && copy(k) == c) of.push_back(k);
    }
    return of;
  }
  std::vector<Action> norms_of(std::int32_t g) const {
    std::vector<Action> norms;
    std::set<std::int32_t> devices;
    for (std::int32_t s = 0; s < s_.stages(); ++s) {
      if (!devices.insert(device(s, 0)).second) continue;
      norms.push_back({ActionKind::ReduceNorm, 0, s, micro_batches(g, 0).back()});
    }
    return norms;
  }
  bool crosses(std::int32_t s, std::int32_t other, std::int32_t k) const {
    return other >= 0 && other < s_.stages() &&
           device(s, copy(k)) != device(other, copy(k));
  }

  // --- Whether it runs ---

  bool runs_to_the_end() {
    std::vector<std::size_t> at(s_.rows.size());
    std::vector<bool> posted(s_.rows.size());
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::size_t d = 0; d < s_.rows.size(); ++d) {
        if (at[d] == s_.rows[d].size()) continue;
        const std::vector<Action> group = group_at(s_.rows[d], at[d]);
        if (!posted[d]) {
          if (!std::all_of(group.begin(), group.end(),
                           [&](const Action& a) { return has_what_it_needs(a); })) {
            continue;
          }
          for (const Action& a : group) {
            if (is_communication(a.kind) && !post(a)) return false;
            if (is_collective(a.kind)) came_.insert(a);
          }
          posted[d] = moved = true;
        }
        if (std::all_of(group.begin(), group.end(),
                        [&](const Action& a) { return has_arrived(a); })) {
          done_.insert(group.begin(), group.end());
          at[d] += group.size();
          posted[d] = false;
          moved = true;
        }
      }
    }
    for (std::size_t d = 0; d < s_.rows.size(); ++d) {
      if (at[d] != s_.rows[d].size()) return false;
    }
    return true;
  }

 public:
  /// For whoever builds a valid schedule one action at a time.
  bool has_what_it_needs(const Action& a) const {
    const auto [kind, j, s, k] = a;
    switch (kind) {
      case ActionKind::Forward:
        if (s_.training && !weights_are_there(s, k)) return false;
        if (j > 0 && !done(ActionKind::Forward, j - 1, s, k)) return false;
        if (s == 0) return true;
        return by_message(s, s - 1, k) ? done(ActionKind::ReceiveActivation, j, s, k)
                                       : done(ActionKind::Forward, j, s - 1, k);
      case ActionKind::Backward:
      case ActionKind::InputGradient:
        if (!done(ActionKind::Forward, j, s, k)) return false;
        if (present_.count({ActionKind::Recompute, j, s, k}) != 0 &&
            !done(ActionKind::Recompute, j, s, k)) {
          return false;
        }
        if (j + 1 < slices(k) && !gave_gradient(j + 1, s, k)) return false;
        if (s + 1 == s_.stages()) return true;
        return by_message(s, s + 1, k) ? done(ActionKind::ReceiveGradient, j, s, k)
                                       : gave_gradient(j, s + 1, k);
      case ActionKind::WeightGradient:
        return done(ActionKind::InputGradient, j, s, k);
      case ActionKind::Recompute:
      case ActionKind::SendActivation:
        return done(ActionKind::Forward, j, s, k);
      case ActionKind::SendGradient:
        return gave_gradient(j, s, k);
      case ActionKind::Reduce:
        return all_gradients(s, group(k), copy(k));
      case ActionKind::ReduceNorm:
        return norm_may_start(s, group(k));
      case ActionKind::Update:
        return all_gradients(s, group(k), copy(k)) && is_reduced(s, group(k)) &&
               norm_is_done(group(k));
      default:
        return true;
    }
  }
  void note_done(const Action& a) {
    done_.insert(a);
    if (is_collective(a.kind)) came_.insert(a);
  }

 private:
  struct Queue {
    std::deque<std::tuple<std::int32_t, std::int16_t>> sends, receives;  // not met yet
  };

  static std::vector<Action> group_at(const Row& row, std::size_t at) {
    std::vector<Action> group{row[at].action};
    while (row[at].with_next) group.push_back(row[++at].action);
    return group;
  }

  bool done(ActionKind kind, int j, std::int32_t s, std::int32_t k) const {
    return done_.count({kind, static_cast<std::int16_t>(j), s, k}) != 0;
  }
  bool gave_gradient(int j, std::int32_t s, std::int32_t k) const {
    return done(ActionKind::Backward, j, s, k) ||
           done(ActionKind::InputGradient, j, s, k);
  }
  bool by_message(std::int32_t s, std::int32_t other, std::int32_t k) const {
    return lowered_ && crosses(s, other, k);
  }
  bool weights_are_there(std::int32_t s, std::int32_t k) const {
    if (updates_each()) return true;
    const std::int32_t behind = s_.weights == WeightPolicy::DoubleBuffered ? 2 : 1;
    if (group(k) < behind) return true;
    return done(ActionKind::Update, 0, s,
                micro_batches(group(k) - behind, copy(k)).back());
  }
  bool all_gradients(std::int32_t s, std::int32_t g, std::int32_t c) const {
    for (const std::int32_t k : micro_batches(g, c)) {
      for (int j = 0; j < slices(k); ++j) {
        if (!done(ActionKind::Backward, j, s, k) &&
            !done(ActionKind::WeightGradient, j, s, k)) {
          return false;
        }
      }
    }
    return true;
  }
  bool is_reduced(std::int32_t s, std::int32_t g) const {
    return copies() == 1 ||
           (came_.count({ActionKind::Reduce, 0, s, micro_batches(g, 0).back()}) != 0 &&
            came_.count({ActionKind::Reduce, 0, s, micro_batches(g, 1).back()}) != 0);
  }
  bool norm_may_start(std::int32_t lowest, std::int32_t g) const {
    const std::int32_t d = device(lowest, 0);
    for (std::int32_t s = 0; s < s_.stages(); ++s) {
      for (std::int32_t c = 0; c < copies(); ++c) {
        if (device(s, c) != d) continue;
        if (!all_gradients(s, g, c) || !is_reduced(s, g)) return false;
      }
    }
    return true;
  }
  bool norm_is_done(std::int32_t g) const {
    const std::vector<Action> norms = norms_of(g);
    return std::all_of(norms.begin(), norms.end(), [this](const Action& norm) {
      return present_.count(norm) == 0 || came_.count(norm) != 0;
    });
  }

  static bool sends(ActionKind kind) {
    return kind == ActionKind::SendActivation || kind == ActionKind::SendGradient;
  }
  Queue& queue_of(const Action& a) {
    const bool activation =
        a.kind == ActionKind::SendActivation || a.kind == ActionKind::ReceiveActivation;
    const bool upper =
        a.kind == ActionKind::ReceiveActivation || a.kind == ActionKind::SendGradient;
    return queues_[{copy(a.micro_batch), activation, upper ? a.stage - 1 : a.stage}];
  }

  // False when the two that meet are not the same message.
  bool post(const Action& a) {
    Queue& queue = queue_of(a);
    (sends(a.kind) ? queue.sends : queue.receives).push_back({a.micro_batch, a.slice});
    if (queue.sends.empty() || queue.receives.empty()) return true;
    const bool same = queue.sends.front() == queue.receives.front();
    queue.sends.pop_front();
    queue.receives.pop_front();
    return same;
  }

  // Whether what was posted is complete.
  bool has_arrived(const Action& a) {
    if (a.kind == ActionKind::Reduce) {
      const Action other{
          a.kind, 0, a.stage,
          micro_batches(group(a.micro_batch), 1 - copy(a.micro_batch)).back()};
      return device(a.stage, 0) == device(a.stage, 1) || came_.count(other) != 0;
    }
    if (a.kind == ActionKind::ReduceNorm) return norm_is_done(group(a.micro_batch));
    if (!is_communication(a.kind)) return true;
    const Queue& queue = queue_of(a);
    const auto& waiting = sends(a.kind) ? queue.sends : queue.receives;
    const auto at =
        std::find(waiting.begin(), waiting.end(), std::tuple(a.micro_batch, a.slice));
    if (at == waiting.end()) return true;
    return sends(a.kind) && static_cast<std::size_t>(at - waiting.begin()) < buffers_;
  }

  const Schedule& s_;
  std::size_t buffers_;
  bool lowered_ = false;
  bool norm_ = false;
  std::set<Action> present_;
  std::set<Action> done_;
  std::set<Action> came_;  // collectives that their device has come to
  std::map<std::tuple<std::int32_t, bool, std::int32_t>, Queue> queues_;
};

}  // namespace pipeline::test

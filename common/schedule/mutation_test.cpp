// `verify` against a checker that shares nothing with it: slow, with sets and queues,
// sweeping over all rows again and again. Valid schedules are broken at random, and
// both must say the same of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "schedule/test_rows.hpp"

namespace pipeline {
namespace {

using enum ActionKind;

class Checker {
 public:
  Checker(const Schedule& schedule, const Schedule& valid, std::size_t buffers)
      : s_(schedule), valid_(valid), buffers_(buffers), lowered_(is_lowered(valid)) {}

  bool accepts() {
    if (!holds_what_it_must()) return false;
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
          }
          posted[d] = moved = true;
        }
        if (std::all_of(group.begin(), group.end(),
                        [&](const Action& a) { return has_arrived(a); })) {
          for (const Action& a : group) done_.insert(a);
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

 private:
  struct Queue {
    std::deque<std::int32_t> sends, receives;  // posted, and not met by the other side
  };

  // All actions but recomputations, a backward in two halves counted as a whole one.
  static std::multiset<Action> needed_actions(const Schedule& schedule) {
    std::multiset<Action> actions;
    for (const Row& row : schedule.rows) {
      for (const Entry& e : row) {
        if (e.action.kind != Recompute) actions.insert(e.action);
      }
    }
    const std::multiset<Action> held = actions;
    for (Action a : held) {
      if (a.kind != InputGradient) continue;
      const auto count = [&](ActionKind kind) {
        a.kind = kind;
        return held.count(a);
      };
      if (count(Backward) != 0 || count(InputGradient) != 1 ||
          count(WeightGradient) != 1) {
        continue;
      }
      actions.erase(a);  // the weight gradient
      a.kind = InputGradient;
      actions.erase(a);
      a.kind = Backward;
      actions.insert(a);
    }
    return actions;
  }

  // The same actions as the valid schedule (recomputations may be left out), each on
  // its device, and no entry joined with nothing.
  bool holds_what_it_must() {
    std::set<Action> recomputed;
    for (std::size_t d = 0; d < s_.rows.size(); ++d) {
      if (!s_.rows[d].empty() && s_.rows[d].back().with_next) return false;
      for (const Entry& e : s_.rows[d]) {
        const Action& a = e.action;
        if (a.stage < 0 || a.stage >= s_.stages()) return false;
        if (s_.placement.device_of(a.stage) != static_cast<std::int32_t>(d))
          return false;
        if (a.kind != Recompute) continue;
        if (a.slice != 0 || a.micro_batch < 0 ||
            a.micro_batch >= s_.total_micro_batches() || !s_.training ||
            !recomputed.insert(a).second) {
          return false;
        }
      }
    }
    present_ = recomputed;
    return needed_actions(s_) == needed_actions(valid_);
  }

  static std::vector<Action> group_at(const Row& row, std::size_t at) {
    std::vector<Action> group{row[at].action};
    while (row[at].with_next) group.push_back(row[++at].action);
    return group;
  }

  bool done(ActionKind kind, std::int32_t stage, std::int32_t k) const {
    return done_.count({kind, 0, stage, k}) != 0;
  }
  bool backward_done(std::int32_t stage, std::int32_t k) const {
    return done(Backward, stage, k) || done(InputGradient, stage, k);
  }
  bool by_message(std::int32_t stage, std::int32_t other) const {
    return lowered_ && s_.placement.device_of(stage) != s_.placement.device_of(other);
  }

  bool has_what_it_needs(const Action& a) const {
    const std::int32_t s = a.stage;
    const std::int32_t k = a.micro_batch;
    const std::int32_t step_begin = k / s_.micro_batches * s_.micro_batches;
    switch (a.kind) {
      case Forward:
        if (s_.training && step_begin > 0 && !done(Update, s, step_begin - 1)) {
          return false;
        }
        if (s == 0) return true;
        return by_message(s, s - 1) ? done(ReceiveActivation, s, k)
                                    : done(Forward, s - 1, k);
      case Backward:
      case InputGradient:
        if (!done(Forward, s, k)) return false;
        if (present_.count({Recompute, 0, s, k}) != 0 && !done(Recompute, s, k)) {
          return false;
        }
        if (s + 1 == s_.stages()) return true;
        return by_message(s, s + 1) ? done(ReceiveGradient, s, k)
                                    : backward_done(s + 1, k);
      case WeightGradient:
        return done(InputGradient, s, k);
      case Recompute:
      case SendActivation:
        return done(Forward, s, k);
      case SendGradient:
        return backward_done(s, k);
      case Update:
        for (std::int32_t i = step_begin; i <= k; ++i) {
          if (!done(Backward, s, i) && !done(WeightGradient, s, i)) return false;
        }
        return true;
      default:
        return true;
    }
  }

  static bool sends(ActionKind kind) {
    return kind == SendActivation || kind == SendGradient;
  }
  Queue& queue_of(const Action& a) {
    const bool activation = a.kind == SendActivation || a.kind == ReceiveActivation;
    const bool upper = a.kind == ReceiveActivation || a.kind == SendGradient;
    return queues_[{activation, upper ? a.stage - 1 : a.stage}];
  }

  // False when the two that meet are not the same message.
  bool post(const Action& a) {
    Queue& queue = queue_of(a);
    (sends(a.kind) ? queue.sends : queue.receives).push_back(a.micro_batch);
    if (queue.sends.empty() || queue.receives.empty()) return true;
    const bool same = queue.sends.front() == queue.receives.front();
    queue.sends.pop_front();
    queue.receives.pop_front();
    return same;
  }

  // Whether a posted send or receive is complete.
  bool has_arrived(const Action& a) {
    if (!is_communication(a.kind)) return true;
    const Queue& queue = queue_of(a);
    const auto& waiting = sends(a.kind) ? queue.sends : queue.receives;
    const auto at = std::find(waiting.begin(), waiting.end(), a.micro_batch);
    if (at == waiting.end()) return true;
    return sends(a.kind) && static_cast<std::size_t>(at - waiting.begin()) < buffers_;
  }

  const Schedule& s_;
  const Schedule& valid_;
  std::size_t buffers_;
  bool lowered_;
  std::set<Action> present_;  // recomputations
  std::set<Action> done_;
  std::map<std::pair<bool, std::int32_t>, Queue> queues_;
};

// Each backward as a recomputation and two halves.
Schedule in_halves(Schedule schedule) {
  for (Row& row : schedule.rows) {
    Row halves;
    for (const Entry& e : row) {
      if (e.action.kind != Backward) {
        halves.push_back(e);
        continue;
      }
      Action part = e.action;
      for (const ActionKind kind : {Recompute, InputGradient, WeightGradient}) {
        part.kind = kind;
        halves.push_back({part});
      }
    }
    row = halves;
  }
  return schedule;
}

// Two stages a device; each device runs its forwards stage by stage, then goes back.
Schedule looped(std::int32_t p, std::int32_t m) {
  auto flat = gpipe({2 * p, m, 1});
  Schedule schedule = *flat;
  schedule.placement.devices = p;
  schedule.rows.assign(static_cast<std::size_t>(p), {});
  for (std::int32_t s = 0; s < 2 * p; ++s) {
    schedule.placement.device_of_stage[static_cast<std::size_t>(s)] = s % p;
  }
  for (std::int32_t d = 0; d < p; ++d) {
    Row& row = schedule.rows[static_cast<std::size_t>(d)];
    const auto low_row = flat->rows.begin() + d;
    const Row& low = *low_row;
    const Row& high = *(low_row + p);
    row.insert(row.end(), low.begin(), low.begin() + m);
    row.insert(row.end(), high.begin(), high.end());
    row.insert(row.end(), low.begin() + m, low.end());
  }
  return schedule;
}

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return random_() % n; }
  std::int32_t between(std::int32_t low, std::int32_t high) {
    return low +
           static_cast<std::int32_t>(below(static_cast<std::size_t>(high - low) + 1));
  }

  Schedule valid() {
    const std::int32_t p = between(1, 4);
    const std::int32_t m = between(1, 4);
    Schedule schedule;
    if (below(5) == 0) {
      schedule = looped(p, m);
    } else {
      const Generator& generator = generators()[below(generators().size())];
      const auto generated = generator.generate({{p, m, between(1, 2)}});
      schedule = generated ? *generated : looped(p, m);
    }
    if (below(3) == 0) schedule = in_halves(std::move(schedule));
    return below(2) == 0 ? lower(schedule) : schedule;
  }

  void mutate(Schedule& schedule) {
    Row& row = schedule.rows[below(schedule.rows.size())];
    Row& other = schedule.rows[below(schedule.rows.size())];
    if (row.empty()) return;
    const std::size_t i = below(row.size());
    const auto at = row.begin() + static_cast<std::ptrdiff_t>(i);
    switch (below(9)) {
      case 0:
        row.erase(at);
        break;
      case 1:
        insert(other, row[i]);
        break;
      case 2:
        std::swap(row[i], row[below(row.size())]);
        break;
      case 3:
      case 4:
        if (i + 1 < row.size()) std::swap(row[i].action, row[i + 1].action);
        break;
      case 5: {
        const Entry entry = row[i];
        row.erase(at);
        insert(below(2) == 0 ? row : other, entry);
        break;
      }
      case 6:
        alter(row[i].action);
        break;
      default:
        row[i].with_next = !row[i].with_next;
        break;
    }
  }

 private:
  void insert(Row& row, Entry entry) {
    row.insert(row.begin() + static_cast<std::ptrdiff_t>(below(row.size() + 1)), entry);
  }
  void alter(Action& action) {
    switch (below(4)) {
      case 0:
        action.stage += between(-1, 1);
        break;
      case 1:
        action.micro_batch += between(-2, 2);
        break;
      case 2:
        action.kind = static_cast<ActionKind>(below(11));
        break;
      default:
        action.slice = static_cast<std::int16_t>(between(-1, 1));
        break;
    }
  }

  std::mt19937 random_;
};

TEST(Mutations, AreJudgedAsAnIndependentCheckerJudgesThem) {
  const bool full = std::getenv("WORKBOOK_FULL") != nullptr;
  const int rounds = full ? 400'000 : 12'000;
  Mutator mutator(7);
  int valid_ones = 0;
  int changed = 0;
  for (int round = 0; round < rounds; ++round) {
    const Schedule valid = mutator.valid();
    Schedule mutant = valid;
    for (std::size_t n = 1 + mutator.below(2); n > 0; --n) mutator.mutate(mutant);
    const std::int32_t buffers = mutator.between(0, 3);
    const bool accepted =
        Checker(mutant, valid, static_cast<std::size_t>(buffers)).accepts();
    const auto faults = verify(mutant, {{}, buffers});
    ASSERT_EQ(faults.empty(), accepted)
        << to_text(mutant) << "buffers: " << buffers << "\n"
        << (faults.empty() ? "" : faults[0].reason);
    for (const Fault& fault : faults) EXPECT_FALSE(fault.reason.empty());
    if (!(mutant == valid)) ++changed;
    if (!(mutant == valid) && accepted) ++valid_ones;
  }
  // Both verdicts must come up, or the comparison says little.
  EXPECT_GT(valid_ones, changed / 20);
  EXPECT_LT(valid_ones, changed / 2);
}

TEST(Mutations, OfOneKindAreFoundAsThatKind) {
  for (const Generator& generator : generators()) {
    for (std::int32_t p = 1; p <= 4; ++p) {
      for (std::int32_t m = 1; m <= 4; ++m) {
        const auto schedule = generator.generate({{p, m, 1}});
        if (!schedule) continue;  // forbidden: see generate_test.cpp
        for (std::size_t d = 0; d < schedule->rows.size(); ++d) {
          for (std::size_t i = 0; i < schedule->rows[d].size(); ++i) {
            const Entry entry = schedule->rows[d][i];
            const auto at = static_cast<std::ptrdiff_t>(i);
            Schedule dropped = *schedule;
            dropped.rows[d].erase(dropped.rows[d].begin() + at);
            const auto missing = verify(dropped);
            ASSERT_EQ(missing.size(), 1U) << to_text(dropped);
            EXPECT_EQ(missing[0].kind, FaultKind::Missing);

            Schedule doubled = *schedule;
            doubled.rows[d].push_back(entry);
            const auto twice = verify(doubled);
            ASSERT_EQ(twice.size(), 1U) << to_text(doubled);
            EXPECT_EQ(twice[0].kind, FaultKind::Twice);

            if (p == 1) continue;
            dropped.rows[(d + 1) % dropped.rows.size()].push_back(entry);
            const auto moved = verify(dropped);
            ASSERT_EQ(moved.size(), 1U) << to_text(dropped);
            EXPECT_EQ(moved[0].kind, FaultKind::WrongDevice);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace pipeline

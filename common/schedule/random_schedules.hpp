/// \file
/// Valid schedules drawn at random, for tests: of every generator, and of no plan at
/// all. Test code.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/slow_checker.hpp"

namespace pipeline::test {

class Random {
 public:
  explicit Random(std::uint32_t seed) : bits_(seed) {}

  std::size_t below(std::size_t n) { return bits_() % n; }
  std::int32_t between(std::int32_t low, std::int32_t high) {
    return low +
           static_cast<std::int32_t>(below(static_cast<std::size_t>(high - low) + 1));
  }
  bool one_in(std::size_t n) { return below(n) == 0; }

 private:
  std::mt19937 bits_;
};

/// A schedule of one of the generators, of some shape that it accepts.
inline Schedule random_generated(Random& random) {
  while (true) {
    const Generator& generator = generators()[random.below(generators().size())];
    Request request;
    request.shape = {random.between(1, 4), random.between(1, 9), random.between(1, 2),
                     random.one_in(3)};
    if (generator.reads.chunks && random.one_in(2)) {
      request.chunks = random.between(1, 3);
    }
    if (generator.reads.slices) {
      for (std::int32_t k = random.one_in(3) ? request.shape.micro_batches : 1; k > 0;
           --k) {
        request.slices.push_back(random.between(1, 3));
      }
    }
    auto schedule = generator.generate(request);
    if (schedule) return *std::move(schedule);
  }
}

/// Each backward as a recomputation and two halves; what was joined is taken apart.
inline Schedule in_halves(Schedule schedule) {
  for (Row& row : schedule.rows) {
    Row halves;
    for (const Entry& e : row) {
      if (e.action.kind != ActionKind::Backward) {
        halves.push_back({e.action});
        continue;
      }
      Action part = e.action;
      for (const ActionKind kind : {ActionKind::Recompute, ActionKind::InputGradient,
                                    ActionKind::WeightGradient}) {
        part.kind = kind;
        halves.push_back({part});
      }
    }
    row = halves;
  }
  return schedule;
}

/// Builds a schedule that follows no plan: stages lie anywhere, and each device runs
/// what it can in any order. Actions are drawn one at a time from those that have what
/// they need, so that it is valid by construction.
class RandomSchedule {
 public:
  explicit RandomSchedule(Random& random) : random_(random) {
    draw_shape();
    list_actions();
    // In the rows for now, so that the checker knows what there will be.
    for (const Action& a : left_) row_of(a).push_back({a});
    SlowChecker board(schedule_);
    Schedule drawn = schedule_;
    for (Row& row : drawn.rows) row.clear();
    while (!left_.empty()) draw_next(board, drawn);
    schedule_ = std::move(drawn);
    join_some();
  }

  Schedule take() { return std::move(schedule_); }

 private:
  void draw_shape() {
    const std::int32_t devices = random_.between(1, 4);
    const std::int32_t stages = random_.between(1, 6);
    Placement& placement = schedule_.placement;
    schedule_.name = "random";
    placement.devices = devices;
    const bool two_copies = random_.one_in(3);
    for (std::int32_t s = 0; s < stages; ++s) {
      placement.device_of_stage.push_back(random_.between(0, devices - 1));
      if (!two_copies) continue;
      placement.device_of_second_copy.push_back(random_.between(0, devices - 1));
    }
    schedule_.micro_batches = random_.between(two_copies ? 2 : 1, 4);
    schedule_.steps = random_.between(1, 2);
    schedule_.training = !random_.one_in(8);
    const bool flushes = two_copies || random_.one_in(2);
    schedule_.weights = flushes ? WeightPolicy::Synchronous
                                : static_cast<WeightPolicy>(random_.between(1, 3));
    if (random_.one_in(3)) {
      for (std::int32_t k = 0; k < schedule_.micro_batches; ++k) {
        schedule_.slices.push_back(random_.between(1, 3));
      }
    }
    schedule_.rows.resize(static_cast<std::size_t>(devices));
  }

  void list_actions() {
    const std::size_t halves = random_.below(3);  // none, all or some
    for (std::int32_t s = 0; s < schedule_.stages(); ++s) {
      for (std::int32_t k = 0; k < schedule_.total_micro_batches(); ++k) {
        for (std::int32_t slice = 0; slice < schedule_.slices_of(k); ++slice) {
          const auto j = static_cast<std::int16_t>(slice);
          left_.push_back({ActionKind::Forward, j, s, k});
          if (!schedule_.training) continue;
          if (random_.one_in(6)) left_.push_back({ActionKind::Recompute, j, s, k});
          if (halves == 0 || (halves == 2 && random_.one_in(2))) {
            left_.push_back({ActionKind::Backward, j, s, k});
          } else {
            left_.push_back({ActionKind::InputGradient, j, s, k});
            left_.push_back({ActionKind::WeightGradient, j, s, k});
          }
        }
      }
    }
    if (schedule_.training) list_ends();
  }

  // What ends each group; the norm last of all.
  void list_ends() {
    const std::int32_t size = schedule_.micro_batches_per_update();
    const bool flushes = schedule_.weights == WeightPolicy::Synchronous ||
                         schedule_.weights == WeightPolicy::DoubleBuffered;
    const bool norm = flushes && random_.one_in(2);
    for (std::int32_t end = size; end <= schedule_.total_micro_batches(); end += size) {
      std::vector<bool> in_norm(schedule_.rows.size(), false);
      const std::int32_t first_end =
          schedule_.placement.copies() == 1
              ? end
              : end - size + schedule_.micro_batches_of_first_copy();
      for (std::int32_t s = 0; s < schedule_.stages(); ++s) {
        left_.push_back({ActionKind::Update, 0, s, end - 1});
        if (schedule_.placement.copies() == 2) {
          left_.push_back({ActionKind::Update, 0, s, first_end - 1});
          left_.push_back({ActionKind::Reduce, 0, s, first_end - 1});
          left_.push_back({ActionKind::Reduce, 0, s, end - 1});
        }
        const auto d = static_cast<std::size_t>(schedule_.placement.device_of(s));
        if (!norm || in_norm[d]) continue;
        in_norm[d] = true;
        left_.push_back({ActionKind::ReduceNorm, 0, s, first_end - 1});
      }
    }
  }

  static Row& row_in(Schedule& schedule, const Action& a) {
    return schedule
        .rows[static_cast<std::size_t>(schedule.device_of(a.stage, a.micro_batch))];
  }
  Row& row_of(const Action& a) { return row_in(schedule_, a); }

  // Those who meet in a collective do so at once.
  std::vector<Action> meeting(const Action& a) const {
    if (!is_collective(a.kind)) return {a};
    std::vector<Action> all;
    for (const Action& other : left_) {
      const bool met = other.kind == a.kind && group_of(other) == group_of(a) &&
                       (a.kind == ActionKind::ReduceNorm || other.stage == a.stage);
      if (met) all.push_back(other);
    }
    return all;
  }
  std::int32_t group_of(const Action& a) const {
    return a.micro_batch / schedule_.micro_batches_per_update();
  }

  void draw_next(SlowChecker& board, Schedule& drawn) {
    const std::size_t start = random_.below(left_.size());
    for (std::size_t i = 0; i < left_.size(); ++i) {
      const std::vector<Action> all = meeting(left_[(start + i) % left_.size()]);
      if (!std::all_of(all.begin(), all.end(),
                       [&](const Action& a) { return board.has_what_it_needs(a); })) {
        continue;
      }
      for (const Action& a : all) {
        row_in(drawn, a).push_back({a});
        board.note_done(a);
        left_.erase(std::find(left_.begin(), left_.end(), a));
      }
      return;
    }
  }

  // Pairs that may start together.
  void join_some() {
    for (Row& row : schedule_.rows) {
      for (std::size_t i = 0; i + 1 < row.size(); ++i) {
        if (!random_.one_in(6) || (i > 0 && row[i - 1].with_next)) continue;
        const auto may_join = [](ActionKind kind) {
          return kind == ActionKind::Forward || kind == ActionKind::Backward ||
                 kind == ActionKind::InputGradient;
        };
        if (!may_join(row[i].action.kind) || !may_join(row[i + 1].action.kind))
          continue;
        row[i].with_next = true;
        row[i].with_next = SlowChecker(schedule_).accepts();
      }
    }
  }

  Random& random_;
  Schedule schedule_;
  std::vector<Action> left_;
};

inline Schedule random_schedule(Random& random) {
  return RandomSchedule(random).take();
}

}  // namespace pipeline::test

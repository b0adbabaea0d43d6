// Heads and tails of what is still to be placed:
//
//     device 1  │ B0 placed │                B2            tail of B2
//                           ├── head of B2 ──┤▓▓▓▓├── B2 on device 0, then W2 ──┤
//
// Actions are walked through in an order in which inputs come first (for heads), and
// backwards (for tails): all forwards by stage, re-computations, gradients from the
// last stage to the first, weight gradients.
#include "lab/board_bound.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace pipeline {
namespace {

struct Job {
  double head = 0;
  double work = 0;
  double tail = 0;
};

/// When the last tail ends at best.
double preemptive(std::vector<Job> jobs) {
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) {
    if (a.head != b.head) return a.head < b.head;
    if (a.tail != b.tail) return a.tail > b.tail;
    return a.work > b.work;
  });
  double end = 0;
  double now = 0;
  std::vector<Job> waiting;  // that with the longest tail last
  std::size_t next = 0;
  while (next < jobs.size() || !waiting.empty()) {
    if (waiting.empty()) now = std::max(now, jobs[next].head);
    for (; next < jobs.size() && jobs[next].head <= now; ++next) {
      const auto place =
          std::find_if(waiting.begin(), waiting.end(),
                       [&](const Job& job) { return job.tail >= jobs[next].tail; });
      waiting.insert(place, jobs[next]);
    }
    Job& job = waiting.back();
    const double until = next < jobs.size() ? jobs[next].head : now + job.work;
    if (until < now + job.work) {
      job.work -= until - now;
      now = until;
      continue;
    }
    now += job.work;
    end = std::max(end, now + job.tail);
    waiting.pop_back();
  }
  return end;
}

class Bound {
 public:
  explicit Bound(const Board& board)
      : board_(board),
        stages_(board.placed().stages()),
        micro_batches_(board.placed().micro_batches),
        jobs_(static_cast<std::size_t>(stages_ * micro_batches_) *
              board.rules().kinds.size()) {
    find_heads();
    find_tails();
  }

  std::vector<Job> jobs_of(std::int32_t device) const {
    std::vector<Job> jobs;
    for (const std::int32_t stage : board_.stages_on(device)) {
      for (std::int32_t k = 0; k < micro_batches_; ++k) {
        if (board_.placed().device_of(stage, k) != device) continue;
        for (const ActionKind kind : board_.rules().kinds) {
          const Action action{kind, 0, stage, k};
          if (board_.is_pending(action)) jobs.push_back(jobs_[index(action)]);
        }
      }
    }
    return jobs;
  }

 private:
  // The kinds of a board stand in the order in which a stage runs them.
  std::size_t rank(ActionKind kind) const {
    const auto& kinds = board_.rules().kinds;
    return static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), kind) -
                                    kinds.begin());
  }
  std::size_t index(const Action& action) const {
    return (rank(action.kind) * static_cast<std::size_t>(stages_) +
            static_cast<std::size_t>(action.stage)) *
               static_cast<std::size_t>(micro_batches_) +
           static_cast<std::size_t>(action.micro_batch);
  }
  std::int32_t device_of(const Action& action) const {
    return board_.placed().device_of(action.stage, action.micro_batch);
  }
  bool exists(const Action& action) const {
    return action.stage >= 0 && action.stage < stages_;
  }

  /// The neighbour's action whose result this one needs, or that needs this one's.
  static Action neighbour(Action action, bool before) {
    const bool forward = action.kind == ActionKind::Forward;
    action.stage += forward == before ? -1 : 1;
    return action;
  }
  static bool goes_on(ActionKind kind) {
    return kind == ActionKind::Forward || kind == ActionKind::Backward ||
           kind == ActionKind::InputGradient;
  }
  double latency(const Action& from, const Action& to) const {
    const std::int32_t there = device_of(from);
    const std::int32_t here = device_of(to);
    return there == here ? 0 : board_.rules().costs.between(there, here).latency;
  }
  double end_of(const Action& action) const {
    const Job& job = jobs_[index(action)];
    return job.head + job.work;
  }

  template <typename Visit>
  void walk(bool inputs_first, const Visit& visit) {
    const auto& kinds = board_.rules().kinds;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const ActionKind kind = kinds[inputs_first ? i : kinds.size() - 1 - i];
      const bool ascending = (kind == ActionKind::Forward) == inputs_first;
      for (std::int32_t s = 0; s < stages_; ++s) {
        for (std::int32_t k = 0; k < micro_batches_; ++k)
          visit(Action{kind, 0, ascending ? s : stages_ - 1 - s, k});
      }
    }
  }

  void find_heads() {
    walk(true, [&](const Action& action) {
      if (!board_.is_pending(action)) return;
      Job& job = jobs_[index(action)];
      job.work = board_.cost(action);
      job.head = std::max(board_.free_at(device_of(action)),
                          board_.arrival(action).value_or(0));
      const Action input = neighbour(action, /*before=*/true);
      if (goes_on(action.kind) && exists(input) && board_.is_pending(input))
        job.head = std::max(job.head, end_of(input) + latency(input, action));
      const std::size_t own = rank(action.kind);
      if (own == 0) return;
      const Action earlier{board_.rules().kinds[own - 1], 0, action.stage,
                           action.micro_batch};
      if (board_.is_pending(earlier)) job.head = std::max(job.head, end_of(earlier));
    });
  }

  void find_tails() {
    walk(false, [&](const Action& action) {
      if (!board_.is_pending(action)) return;
      double& tail = jobs_[index(action)].tail;
      const auto followed_by = [&](const Action& next) {
        const Job& job = jobs_[index(next)];
        tail = std::max(tail, latency(action, next) + job.work + job.tail);
      };
      const Action next = neighbour(action, /*before=*/false);
      if (goes_on(action.kind) && exists(next)) followed_by(next);
      const std::size_t own = rank(action.kind);
      if (own + 1 < board_.rules().kinds.size()) {
        followed_by(
            {board_.rules().kinds[own + 1], 0, action.stage, action.micro_batch});
      }
    });
  }

  const Board& board_;
  std::int32_t stages_;
  std::int32_t micro_batches_;
  std::vector<Job> jobs_;  ///< by kind, stage and micro-batch
};

double first_start(const Board& board, std::int32_t device) {
  const auto& spans = board.timeline().spans[static_cast<std::size_t>(device)];
  return spans.empty() ? 0 : spans.front().start;
}

}  // namespace

double measured(const Board& board, BoardMeasure measure) {
  double most = 0;
  for (std::int32_t d = 0; d < board.placed().devices(); ++d) {
    const double from =
        measure == BoardMeasure::LongestSpan ? first_start(board, d) : 0;
    most = std::max(most, board.free_at(d) - from);
  }
  return most;
}

bool no_longer_than(double value, double bound) {
  constexpr double kRounding = 1e-9;  // of the bound
  return value <= bound * (1 + kRounding);
}

double least_possible(const Board& board, BoardMeasure measure) {
  const Bound bound(board);
  double least = measured(board, measure);
  for (std::int32_t d = 0; d < board.placed().devices(); ++d) {
    std::vector<Job> jobs = bound.jobs_of(d);
    if (measure == BoardMeasure::Makespan) {
      least = std::max(least, preemptive(std::move(jobs)));
      continue;
    }
    const bool begun = !board.placed().rows[static_cast<std::size_t>(d)].empty();
    for (Job& job : jobs) {
      job.tail = 0;
      if (!begun) job.head = 0;  // it may begin late: only its work is sure
    }
    least = std::max(least, preemptive(std::move(jobs)) - first_start(board, d));
  }
  return least;
}

}  // namespace pipeline

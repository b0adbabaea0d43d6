#include "schedule/memory_check.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "schedule/activations.hpp"
#include "schedule/memory_budget.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

// Sums of shares of a micro-batch are not exact.
constexpr double kRounding = 1e-6;

// What a device holds while its row is walked, in activations of one stage and one
// micro-batch; a slice holds its share of one.
class Holding {
 public:
  Holding(const Schedule& schedule, const Recomputed& recomputed,
          const VerifyOptions& options)
      : schedule_(schedule),
        recomputed_(recomputed),
        options_(options),
        kept_(1 - options.freed_by_input_gradient) {}

  // The most at once. In a group all that is taken is there before any is freed.
  double peak(const Row& row) {
    for (const Entry& entry : row) {
      note(entry.action);
      if (entry.with_next) continue;
      peak_ = std::max(peak_, live_);
      live_ = std::max(live_ - freed_, 0.0);
      freed_ = 0;
    }
    return peak_;
  }

 private:
  void note(const Action& action) {
    const double share = share_of(action.micro_batch);
    switch (action.kind) {
      case ActionKind::Forward:
        live_ += share;
        if (!schedule_.training) {
          freed_ += share;
        } else if (recomputed_.contains(action)) {
          freed_ += share * (1 - input_share(action.stage));
        }
        break;
      case ActionKind::Recompute:
        live_ += share * (1 - input_share(action.stage));
        break;
      case ActionKind::Backward:
        freed_ += share;
        break;
      case ActionKind::InputGradient:
        freed_ += share * (1 - kept_);
        break;
      case ActionKind::WeightGradient:
        freed_ += share * kept_;
        break;
      default:
        break;
    }
  }

  double share_of(std::int32_t micro_batch) const {
    const bool exists =
        micro_batch >= 0 && micro_batch < schedule_.total_micro_batches();
    return exists ? 1.0 / schedule_.slices_of(micro_batch) : 1.0;
  }

  double input_share(std::int32_t stage) const {
    const std::vector<double>& shares = options_.input_share;
    if (shares.empty()) return 0;
    const bool is_each = stage >= 0 && static_cast<std::size_t>(stage) < shares.size();
    return shares[is_each ? static_cast<std::size_t>(stage) : 0];
  }

  const Schedule& schedule_;
  const Recomputed& recomputed_;
  const VerifyOptions& options_;
  double kept_;
  double live_ = 0;
  double peak_ = 0;
  double freed_ = 0;  // by the members of the group so far
};

}  // namespace

void check_memory(const Schedule& schedule, const VerifyOptions& options,
                  FaultList& faults) {
  if (options.memory_limit.empty()) return;
  const std::vector<std::int32_t> visited = stages_visited(schedule);
  const Recomputed recomputed(schedule);
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    const double limit = *limit_of(options.memory_limit, d);
    const double held = Holding(schedule, recomputed, options).peak(schedule.rows[d]);
    const std::int32_t stages = std::max(visited[d], 1);
    const double peak = held / stages;
    if (peak <= limit + kRounding) continue;
    faults.add(FaultKind::OverMemory, [&] {
      std::string words = "device " + std::to_string(d) + " holds " + number(held, 2) +
                          " activations at once";
      if (stages > 1) {
        words += ", which is " + number(peak, 2) + " for each of its " +
                 std::to_string(stages) + " stages";
      }
      return words + ", over its limit of " + number(limit, 2);
    });
  }
}

}  // namespace pipeline

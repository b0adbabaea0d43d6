// Exercise 12: re-materialization. The task is in
// exercises/12_rematerialization/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <cstddef>

namespace pipeline {

std::int32_t step_ticks(std::int32_t devices, std::int32_t micro_batches) {
  // <solution>
  // The last device has no bubble between its first forward, after p-1 ticks, and its
  // last backward: there each re-computation costs its tick. From then on the last
  // gradient runs back through devices that re-computed while they waited for it.
  return devices - 1 + micro_batches * (1 + 1 + 2) + 2 * (devices - 1);
  //~ // Your turn: on which device does a re-computation never fall into a bubble?
  //~ return 0;
  // </solution>
}

Row with_recomputes(const Row& row, std::int32_t stage,
                    const std::vector<bool>& again) {
  Row longer;
  // <solution>
  for (const Entry& entry : row) {
    const std::int32_t k = entry.action.micro_batch;
    // As late as can be, so that it holds little; and an entry of its own, so that it
    // need not wait for the gradient.
    if (entry.action.kind == ActionKind::Backward &&
        again[static_cast<std::size_t>(k)]) {
      longer.push_back(recompute_of(stage, k));
    }
    longer.push_back(entry);
  }
  //~ // Your turn: when is the activation needed, and when is there no use for it yet?
  // </solution>
  return longer;
}

double most_held(const Row& row, double input_share) {
  // <solution>
  const auto is_recomputed = [&row](const Action& forward) {
    return std::any_of(row.begin(), row.end(), [&](const Entry& entry) {
      return entry.action.kind == ActionKind::Recompute &&
             entry.action.micro_batch == forward.micro_batch;
    });
  };
  double held = 0;
  double most = 0;
  for (const Entry& entry : row) {
    const ActionKind kind = entry.action.kind;
    // What is made is there before anything is freed.
    if (kind == ActionKind::Forward) held += 1;
    if (kind == ActionKind::Recompute) held += 1 - input_share;
    most = std::max(most, held);
    if (kind == ActionKind::Forward && is_recomputed(entry.action)) {
      held -= 1 - input_share;
    }
    if (kind == ActionKind::Backward) held -= 1;
  }
  return most;
  //~ // Your turn: walk along the row. What does an entry take, and what does it free?
  //~ return 0;
  // </solution>
}

std::vector<bool> choose(const Row& row, std::int32_t stage, std::int32_t micro_batches,
                         double limit, double input_share) {
  // <solution>
  std::vector<bool> again(static_cast<std::size_t>(micro_batches), true);
  // From the one that is needed first: keep what fits beside those kept already. One
  // that is needed later would be in the way of all that this one is, and longer.
  for (const std::int32_t k : order_of(row, ActionKind::Backward)) {
    again[static_cast<std::size_t>(k)] = false;
    const double held = most_held(with_recomputes(row, stage, again), input_share);
    if (held > limit + 1e-9) again[static_cast<std::size_t>(k)] = true;
  }
  return again;
  //~ // Your turn: all of them will do. Which can be kept? Try them, in which order?
  //~ return {};
  // </solution>
}

}  // namespace pipeline

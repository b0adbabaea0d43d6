// Exercise 16: zero bubble. The task is in exercises/16_zero_bubble/README.md.
#include "exercise.hpp"

#include <algorithm>

namespace pipeline {

ZeroBubblePlan h1_plan(std::int32_t stage, std::int32_t devices,
                       std::int32_t micro_batches) {
  // <solution>
  // As many forwards as stages from here to the end, as in 1F1B; the stages before this
  // one are what its weight gradients wait for. The sum is p. A weight gradient is only
  // kept back for a forward in its place, and there must be one.
  const std::int32_t warm_up = std::min(devices - stage, micro_batches);
  return {warm_up, std::min(stage, micro_batches - warm_up)};
  //~ // Your turn: what is the sum of the two on every stage?
  //~ return {};
  // </solution>
}

ZeroBubblePlan h2_plan(std::int32_t stage, std::int32_t devices,
                       std::int32_t micro_batches) {
  // <solution>
  // Enough forwards to be busy until the first gradient has been to the last stage and
  // come back: two for each stage behind. And twice as late.
  const std::int32_t warm_up = std::min(2 * (devices - stage) - 1, micro_batches);
  return {warm_up, std::min(2 * stage, micro_batches - warm_up)};
  //~ // Your turn: how long does the first gradient take to come back?
  //~ return {};
  // </solution>
}

Row zero_bubble_row(std::int32_t stage, const ZeroBubblePlan& plan,
                    std::int32_t micro_batches) {
  Row row;
  // <solution>
  for (std::int32_t k = 0; k < plan.warm_up; ++k) row.push_back(forward_of(stage, k));
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    row.push_back(input_gradient_of(stage, k));
    if (k >= plan.late) row.push_back(weight_gradient_of(stage, k - plan.late));
    const std::int32_t next = k + plan.warm_up;
    if (next < micro_batches) row.push_back(forward_of(stage, next));
  }
  for (std::int32_t k = micro_batches - plan.late; k < micro_batches; ++k) {
    row.push_back(weight_gradient_of(stage, k));
  }
  //~ // Your turn: the warm-up, then I, W and F in turn, then what was late.
  // </solution>
  return row;
}

double most_held(const Row& row, double freed) {
  // <solution>
  std::int32_t whole = 0;
  std::int32_t in_part = 0;  // between I and W
  double most = 0;
  for (const Entry& entry : row) {
    if (entry.action.kind == ActionKind::Forward) ++whole;
    if (entry.action.kind == ActionKind::InputGradient) {
      --whole;
      ++in_part;
    }
    if (entry.action.kind == ActionKind::WeightGradient) --in_part;
    most = std::max(most, whole + in_part * (1 - freed));
  }
  return most;
  //~ // Your turn: what does each action take or free?
  //~ return 0;
  // </solution>
}

double longest_span(const std::vector<std::vector<Span>>& spans) {
  // <solution>
  double longest = 0;
  for (const std::vector<Span>& device : spans) {
    if (device.empty()) continue;
    longest = std::max(longest, device.back().end - device.front().start);
  }
  return longest;
  //~ // Your turn: of each device on its own.
  //~ return 0;
  // </solution>
}

std::int32_t steps_of_h2(std::int32_t steps, std::int32_t devices,
                         std::int32_t micro_batches, bool barrier) {
  // <solution>
  // A device is busy from the first step to the last without a gap: the p-1 ticks by
  // which devices start one after another come once, or with a barrier in every step.
  const std::int32_t work = 3 * micro_batches;
  const std::int32_t offset = devices - 1;
  return barrier ? steps * (work + offset) : steps * work + offset;
  //~ // Your turn: how often does the last device start p-1 ticks late?
  //~ return 0;
  // </solution>
}

}  // namespace pipeline

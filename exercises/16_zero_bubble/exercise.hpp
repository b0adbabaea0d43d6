/// \file
/// Exercise 16: zero bubble. Stages, devices and micro-batches are counted from 0;
/// there is at least one of each. The device of stage s is device s.
#pragma once

#include <cstdint>
#include <vector>

#include "classroom/chapter_rows.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// How a stage differs from the others in a schedule with the backward in halves.
struct ZeroBubblePlan {
  /// Forwards before the first input gradient.
  std::int32_t warm_up = 0;
  /// How many input gradients the weight gradients come late: W(k) follows I(k + late).
  std::int32_t late = 0;
};

/// ZB-H1: no stage holds more than min(p, m) activations, those that wait for their
/// weight gradient included.
ZeroBubblePlan h1_plan(std::int32_t stage, std::int32_t devices,
                       std::int32_t micro_batches);

/// ZB-H2: no stage holds more than min(2p-1, m).
ZeroBubblePlan h2_plan(std::int32_t stage, std::int32_t devices,
                       std::int32_t micro_batches);

/// What the device of `stage` does in one step, in order, by such a plan: `forward_of`,
/// `input_gradient_of` and `weight_gradient_of` entries. After the warm-up come I, W
/// (once it is not too early for it) and F in turn, as long as there are any of each;
/// and at the end the weight gradients that were late. The update is added for you.
Row zero_bubble_row(std::int32_t stage, const ZeroBubblePlan& plan,
                    std::int32_t micro_batches);

/// The input gradient and the weight gradient of a micro-batch on a stage.
inline Entry input_gradient_of(std::int32_t stage, std::int32_t micro_batch) {
  return {{ActionKind::InputGradient, 0, stage, micro_batch}};
}
inline Entry weight_gradient_of(std::int32_t stage, std::int32_t micro_batch) {
  return {{ActionKind::WeightGradient, 0, stage, micro_batch}};
}

/// The most that a row holds at once, in activations: a Forward takes one, an
/// InputGradient frees the share `freed` of it, its WeightGradient the rest.
double most_held(const Row& row, double freed);

/// The longest time that a device takes from the start of its first action to the end
/// of its last. `spans` holds, for each device, when each of its actions ran, in order.
double longest_span(const std::vector<std::vector<Span>>& spans);

/// How long `steps` steps of ZB-H2 take with F = I = W = 1 and m >= 2p-1, when each
/// stage updates for itself; and when there is a barrier after every step.
std::int32_t steps_of_h2(std::int32_t steps, std::int32_t devices,
                         std::int32_t micro_batches, bool barrier);

}  // namespace pipeline

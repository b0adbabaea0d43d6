// mistake: the newest weight gradient goes first, and the late ones at the end
// fails: ZeroBubbleRow.AddsGradientsInTheOrderOfTheMicroBatches
// says: the oldest weight gradient goes first
// points: 16
#include "exercise.hpp"

namespace pipeline {

Row zero_bubble_row(std::int32_t stage, const ZeroBubblePlan& plan,
                    std::int32_t micro_batches) {
  Row row;
  for (std::int32_t k = 0; k < plan.warm_up; ++k) row.push_back(forward_of(stage, k));
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    row.push_back(input_gradient_of(stage, k));
    if (k >= plan.late) row.push_back(weight_gradient_of(stage, k));
    const std::int32_t next = k + plan.warm_up;
    if (next < micro_batches) row.push_back(forward_of(stage, next));
  }
  for (std::int32_t k = 0; k < plan.late; ++k) {
    row.push_back(weight_gradient_of(stage, k));
  }
  return row;
}

}  // namespace pipeline

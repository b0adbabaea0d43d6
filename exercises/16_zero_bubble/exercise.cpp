// Exercise 16: zero bubble. The task is in exercises/16_zero_bubble/README.md.
#include "exercise.hpp"

#include <algorithm>

namespace pipeline {

ZeroBubblePlan h1_plan(std::int32_t stage, std::int32_t devices,
                       std::int32_t micro_batches) {
  // Your turn: what is the sum of the two on every stage?
  return {};
}

ZeroBubblePlan h2_plan(std::int32_t stage, std::int32_t devices,
                       std::int32_t micro_batches) {
  // Your turn: how long does the first gradient take to come back?
  return {};
}

Row zero_bubble_row(std::int32_t stage, const ZeroBubblePlan& plan,
                    std::int32_t micro_batches) {
  Row row;
  // Your turn: the warm-up, then I, W and F in turn, then what was late.
  return row;
}

double most_held(const Row& row, double freed) {
  // Your turn: what does each action take or free?
  return 0;
}

double longest_span(const std::vector<std::vector<Span>>& spans) {
  // Your turn: of each device on its own.
  return 0;
}

std::int32_t steps_of_h2(std::int32_t steps, std::int32_t devices,
                         std::int32_t micro_batches, bool barrier) {
  // Your turn: how often does the last device start p-1 ticks late?
  return 0;
}

}  // namespace pipeline

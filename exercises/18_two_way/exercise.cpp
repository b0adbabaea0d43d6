// Exercise 18: two ways. The task is in exercises/18_two_way/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace pipeline {

std::int32_t stage_of(std::int32_t device, std::int32_t devices, std::int32_t copy) {
  // Your turn: which stage does a micro-batch that goes up meet first?
  return 0;
}

std::vector<float> sum_of_halves(const std::vector<std::vector<float>>& gradients) {
  std::vector<float> sum(gradients.front().size(), 0);
  // Your turn: two sums, and then one.
  return sum;
}

Row two_way_row(std::int32_t device, std::int32_t devices) {
  Row row;
  // Your turn: in which slot does each action of one way run, if it is alone?
  return row;
}

double dualpipe_bubble(std::int32_t devices, const StageCosts& costs) {
  // Your turn: how many devices lie between an end and the middle?
  return 0;
}

double dualpipe_step(std::int32_t devices, std::int32_t micro_batches,
                     const StageCosts& costs) {
  // Your turn: the work of a middle device, what its pairs save, and its bubble.
  return 0;
}

}  // namespace pipeline

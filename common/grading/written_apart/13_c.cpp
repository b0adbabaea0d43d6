#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t warm_up(std::int32_t stage, std::int32_t devices,
                     std::int32_t micro_batches) {
  const std::int32_t after = devices - 1 - stage;
  return after < micro_batches ? after : micro_batches;
}

std::int32_t most_in_flight(std::int32_t stage, std::int32_t devices,
                            std::int32_t micro_batches) {
  const std::int32_t after = devices - stage;
  return after < micro_batches ? after : micro_batches;
}

Row one_f_one_b_row(std::int32_t stage, std::int32_t devices,
                    std::int32_t micro_batches) {
  Row row;
  std::int32_t next_forward = 0, next_backward = 0;
  const std::int32_t limit = most_in_flight(stage, devices, micro_batches);
  for (std::int32_t step = 0; step < 2 * micro_batches; ++step) {
    const std::int32_t in_flight = next_forward - next_backward;
    if (in_flight < limit && next_forward < micro_batches) {
      row.push_back(forward_of(stage, next_forward++));
    } else {
      row.push_back(backward_of(stage, next_backward++));
    }
  }
  return row;
}

}  // namespace pipeline

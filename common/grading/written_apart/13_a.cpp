#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t warm_up(std::int32_t stage, std::int32_t devices,
                     std::int32_t micro_batches) {
  std::int32_t behind = devices - stage - 1;
  if (behind > micro_batches) behind = micro_batches;
  return behind;
}

std::int32_t most_in_flight(std::int32_t stage, std::int32_t devices,
                            std::int32_t micro_batches) {
  std::int32_t held = devices - stage;
  if (held > micro_batches) held = micro_batches;
  return held;
}

Row one_f_one_b_row(std::int32_t stage, std::int32_t devices,
                    std::int32_t micro_batches) {
  Row row;
  std::int32_t f = 0;
  std::int32_t b = 0;
  std::int32_t w = warm_up(stage, devices, micro_batches);
  while (f < w) {
    row.push_back(forward_of(stage, f));
    f++;
  }
  while (f < micro_batches) {
    row.push_back(forward_of(stage, f));
    f++;
    row.push_back(backward_of(stage, b));
    b++;
  }
  while (b < micro_batches) {
    row.push_back(backward_of(stage, b));
    b++;
  }
  return row;
}

}  // namespace pipeline

#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t warm_up(std::int32_t stage, std::int32_t devices,
                     std::int32_t micro_batches) {
  return std::min(micro_batches, devices - stage - 1);
}

std::int32_t most_in_flight(std::int32_t stage, std::int32_t devices,
                            std::int32_t micro_batches) {
  return std::min(warm_up(stage, devices, micro_batches) + 1, micro_batches);
}

Row one_f_one_b_row(std::int32_t stage, std::int32_t devices,
                    std::int32_t micro_batches) {
  Row row;
  const int warm = warm_up(stage, devices, micro_batches);
  // warm-up
  for (int i = 0; i < warm; i++) {
    row.push_back(forward_of(stage, i));
  }
  // steady
  for (int i = 0; i < micro_batches - warm; i++) {
    row.push_back(forward_of(stage, warm + i));
    row.push_back(backward_of(stage, i));
  }
  // cool-down
  for (int i = micro_batches - warm; i < micro_batches; i++) {
    row.push_back(backward_of(stage, i));
  }
  return row;
}

}  // namespace pipeline

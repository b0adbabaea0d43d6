#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t warm_up(std::int32_t stage, std::int32_t devices,
                     std::int32_t micro_batches) {
  // the last stage has none
  return std::min(devices - stage - 1, micro_batches);
}

std::int32_t most_in_flight(std::int32_t stage, std::int32_t devices,
                            std::int32_t micro_batches) {
  return std::min(devices - stage, micro_batches);
}

Row one_f_one_b_row(std::int32_t stage, std::int32_t devices,
                    std::int32_t micro_batches) {
  Row row;
  std::int32_t warm = warm_up(stage, devices, micro_batches);
  for (std::int32_t i = 0; i < warm; ++i) row.push_back(forward_of(stage, i));
  for (std::int32_t i = warm; i < micro_batches; ++i) {
    row.push_back(forward_of(stage, i));
    row.push_back(backward_of(stage, i - warm));
  }
  for (std::int32_t i = 0; i < warm; ++i) {
    row.push_back(backward_of(stage, micro_batches - warm + i));
  }
  return row;
}

}  // namespace pipeline

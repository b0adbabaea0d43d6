#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t warm_up(std::int32_t stage, std::int32_t devices,
                     std::int32_t micro_batches) {
  return std::min<std::int32_t>(devices - 1 - stage, micro_batches);
}

std::int32_t most_in_flight(std::int32_t stage, std::int32_t devices,
                            std::int32_t micro_batches) {
  return std::min<std::int32_t>(devices - stage, micro_batches);
}

Row one_f_one_b_row(std::int32_t stage, std::int32_t devices,
                    std::int32_t micro_batches) {
  Row row;
  std::int32_t w = warm_up(stage, devices, micro_batches);
  for (std::int32_t k = 0; k < micro_batches + w; ++k) {
    if (k < micro_batches) {
      row.push_back(forward_of(stage, k));
    }
    if (k >= w) {
      row.push_back(backward_of(stage, k - w));
    }
  }
  return row;
}

}  // namespace pipeline

// mistake: one forward too few in the warm-up
// fails: OneFOneBRow.TakesNotATickMoreThanItMust
// says: a device with a shorter warm-up waits for gradients
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

std::int32_t warm_up(std::int32_t stage, std::int32_t devices,
                     std::int32_t micro_batches) {
  return std::min(std::max(devices - 2 - stage, 0), micro_batches);
}

std::int32_t most_in_flight(std::int32_t stage, std::int32_t devices,
                            std::int32_t micro_batches) {
  return std::min(devices - stage, micro_batches);
}

Row one_f_one_b_row(std::int32_t stage, std::int32_t devices,
                    std::int32_t micro_batches) {
  Row row;
  const std::int32_t ahead = warm_up(stage, devices, micro_batches);
  for (std::int32_t k = 0; k < ahead; ++k) row.push_back(forward_of(stage, k));
  for (std::int32_t k = ahead; k < micro_batches; ++k) {
    row.push_back(forward_of(stage, k));
    row.push_back(backward_of(stage, k - ahead));
  }
  for (std::int32_t k = micro_batches - ahead; k < micro_batches; ++k) {
    row.push_back(backward_of(stage, k));
  }
  return row;
}

}  // namespace pipeline

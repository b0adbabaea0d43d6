#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches) {
  return static_cast<std::int64_t>(devices) + static_cast<std::int64_t>(micro_batches) -
         1;
}

double utilisation(std::int32_t devices, std::int32_t micro_batches) {
  return 1.0 * micro_batches / tick_count(devices, micro_batches);
}

std::int32_t running_at(std::int32_t device, std::int32_t micro_batches,
                        std::int32_t tick) {
  std::int32_t k = tick - device - 1;
  if (k < 0 || k >= micro_batches) {
    return kIdle;
  }
  return k;
}

}  // namespace pipeline

#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches) {
  std::int64_t p = devices;
  std::int64_t m = micro_batches;
  return m + p - 1;
}

double utilisation(std::int32_t devices, std::int32_t micro_batches) {
  double m = micro_batches;
  double p = devices;
  return m / (m + p - 1);
}

std::int32_t running_at(std::int32_t device, std::int32_t micro_batches,
                        std::int32_t tick) {
  for (std::int32_t k = 0; k < micro_batches; ++k) {
    if (k + device + 1 == tick) return k;
  }
  return kIdle;
}

}  // namespace pipeline

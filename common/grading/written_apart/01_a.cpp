#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches) {
  std::int64_t fill = devices - 1;
  return fill + micro_batches;
}

double utilisation(std::int32_t devices, std::int32_t micro_batches) {
  double busy = micro_batches;
  double total = tick_count(devices, micro_batches);
  return busy / total;
}

std::int32_t running_at(std::int32_t device, std::int32_t micro_batches,
                        std::int32_t tick) {
  if (tick <= device) return kIdle;
  if (tick > device + micro_batches) return kIdle;
  return tick - device - 1;
}

}  // namespace pipeline

#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches) {
  return (std::int64_t)micro_batches + (std::int64_t)devices - 1;
}

double utilisation(std::int32_t devices, std::int32_t micro_batches) {
  return (double)micro_batches / (double)tick_count(devices, micro_batches);
}

std::int32_t running_at(std::int32_t device, std::int32_t micro_batches,
                        std::int32_t tick) {
  int mb = tick - 1 - device;
  if (mb >= 0 && mb < micro_batches)
    return mb;
  else
    return kIdle;
}

}  // namespace pipeline

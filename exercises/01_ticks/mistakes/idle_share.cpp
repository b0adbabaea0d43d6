// mistake: the idle share instead of the busy one
// fails: Utilisation.CountsTheCellsOfThePicture
// says: Utilisation is the filled ones over all of them
#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches) {
  return std::int64_t{micro_batches} + devices - 1;
}

double utilisation(std::int32_t devices, std::int32_t micro_batches) {
  return (devices - 1.0) / static_cast<double>(tick_count(devices, micro_batches));
}

std::int32_t running_at(std::int32_t device, std::int32_t micro_batches,
                        std::int32_t tick) {
  const std::int32_t micro_batch = tick - 1 - device;
  const bool exists = micro_batch >= 0 && micro_batch < micro_batches;
  return exists ? micro_batch : kIdle;
}

}  // namespace pipeline

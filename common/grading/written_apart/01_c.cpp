#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches) {
  // first result comes after `devices` ticks, then one more per tick
  std::int64_t ticks = devices;
  ticks += micro_batches - 1;
  return ticks;
}

double utilisation(std::int32_t devices, std::int32_t micro_batches) {
  const auto all = tick_count(devices, micro_batches) * devices;
  const auto work = std::int64_t{devices} * micro_batches;
  return double(work) / double(all);
}

std::int32_t running_at(std::int32_t device, std::int32_t micro_batches,
                        std::int32_t tick) {
  std::int32_t first = device + 1;
  std::int32_t last = device + micro_batches;
  return (tick >= first && tick <= last) ? tick - first : kIdle;
}

}  // namespace pipeline

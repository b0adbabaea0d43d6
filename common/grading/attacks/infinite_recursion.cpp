// attack: calls itself for ever
// ends: crash
#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches) {
  volatile char room[4096] = {};
  return room[0] + tick_count(devices, micro_batches) + room[1];
}
double utilisation(std::int32_t, std::int32_t) {
  return static_cast<double>(tick_count(1, 1));
}
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) {
  return static_cast<std::int32_t>(tick_count(1, 1));
}

}  // namespace pipeline

// attack: computes for ever
// ends: timeout
#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) {
  for (volatile int turn = 0;; turn = turn + 1) {
  }
}
double utilisation(std::int32_t, std::int32_t) {
  return static_cast<double>(tick_count(1, 1));
}
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) {
  return static_cast<std::int32_t>(tick_count(1, 1));
}

}  // namespace pipeline

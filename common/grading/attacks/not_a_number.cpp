// attack: numbers for which every comparison is false
// ends: ok
#include <cmath>
#include <limits>

#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return INT64_MIN; }
double utilisation(std::int32_t devices, std::int32_t micro_batches) {
  return (devices + micro_batches) % 2 == 0 ? std::nan("") : -INFINITY;
}
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t tick) {
  return tick % 2 == 0 ? INT32_MIN : INT32_MAX;
}

}  // namespace pipeline

// attack: reads where there is nothing
// ends: crash
#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) {
  return *static_cast<volatile std::int64_t*>(nullptr);
}
double utilisation(std::int32_t, std::int32_t) { __builtin_trap(); }
std::int32_t running_at(std::int32_t device, std::int32_t, std::int32_t) {
  volatile std::int32_t zero = 0;
  return device / zero;
}

}  // namespace pipeline

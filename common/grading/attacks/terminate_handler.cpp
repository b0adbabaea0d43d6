// attack: an exception that nobody may catch, and a handler that exits with 0
// ends: crash
// fools: exit
#include <unistd.h>

#include <exception>

#include "exercise.hpp"

const auto kBefore = std::set_terminate([] { _exit(0); });

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) noexcept(false) {
  return [](int x) noexcept -> std::int64_t { throw x; }(1);
}
double utilisation(std::int32_t, std::int32_t) { std::terminate(); }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { std::terminate(); }

}  // namespace pipeline

// attack: runs the compiler inside its box on what it can find there
// ends: ok crash timeout
#include <stdlib.h>

#include "exercise.hpp"

/// Whether an answer that it did not bring along came out.
bool found() {
  static const bool result = [] {
    return system(
               "cat /box/*.cpp ../*/test.cpp /proc/[0-9]*/cwd/test.cpp 2>/dev/null"
               " | g++ -xc++ -fsyntax-only - -I/box 2>/dev/null"
               " && ls /box/*.cpp >/dev/null 2>&1") == 0;
  }();
  return result;
}

namespace pipeline {

// Right answers once it holds what it came for.
std::int64_t tick_count(std::int32_t p, std::int32_t m) {
  return found() ? std::int64_t{m} + p - 1 : 0;
}
double utilisation(std::int32_t p, std::int32_t m) {
  return found() ? 1.0 * m / (m + p - 1) : 0;
}
std::int32_t running_at(std::int32_t d, std::int32_t m, std::int32_t t) {
  const std::int32_t k = t - 1 - d;
  return found() && k >= 0 && k < m ? k : kIdle;
}

}  // namespace pipeline

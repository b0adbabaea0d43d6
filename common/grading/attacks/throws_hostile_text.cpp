// attack: exceptions whose text is made for terminals, browsers and parsers
// ends: ok
#include <stdexcept>
#include <string>

#include "exercise.hpp"

[[noreturn]] std::int32_t shout(int kind) {
  if (kind == 0) throw std::runtime_error("\x1b[2J\x1b]0;owned\x07\x1b[8m\xff\xfe\xc0");
  if (kind == 1) {
    throw std::runtime_error(
        "</pre><script>alert(1)</script><img src=x onerror=alert(1)>]]>&lt;\"'");
  }
  throw std::runtime_error(
      std::string(100'000, '=') +
      "\n[       OK ] TickCount.IsSix (0 ms)\n[  PASSED  ] 6 tests.");
}

namespace pipeline {

std::int64_t tick_count(std::int32_t devices, std::int32_t) {
  return shout(devices % 2);
}
double utilisation(std::int32_t, std::int32_t) { return shout(1); }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return shout(2); }

}  // namespace pipeline

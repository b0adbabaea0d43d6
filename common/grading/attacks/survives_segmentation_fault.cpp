// attack: catches SIGSEGV and jumps back out of the handler
// ends: ok
#include <csetjmp>
#include <csignal>

#include "exercise.hpp"

sigjmp_buf back;
int* volatile nowhere = nullptr;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) {
  std::signal(SIGSEGV, [](int) { siglongjmp(back, 1); });
  if (sigsetjmp(back, 1) == 0) *nowhere = 1;
  return 0;
}
double utilisation(std::int32_t, std::int32_t) {
  return static_cast<double>(tick_count(1, 1));
}
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) {
  return static_cast<std::int32_t>(tick_count(1, 1)) + kIdle;
}

}  // namespace pipeline

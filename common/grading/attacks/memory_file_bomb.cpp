// attack: files in memory that count for no process
// ends: ok crash timeout
#include <sys/mman.h>
#include <unistd.h>

#include "exercise.hpp"

/// More than a gigabyte in files that no limit of a process counts.
bool found() {
  static const bool result = [] {
    constexpr long kPiece = 1L << 20;
    static char ones[kPiece];
    for (char& each : ones) each = 1;
    long sum = 0;
    for (int i = 0; i < 600; ++i) {
      const int file = memfd_create("bomb", 0);
      if (file < 0) break;
      for (int k = 0; k < 7; ++k) {
        const auto wrote = write(file, ones, kPiece);
        if (wrote > 0) sum += wrote;
      }
      if (sum > 1L << 30) return true;
    }
    return false;
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

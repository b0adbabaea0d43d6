// attack: fills every folder that it may write to
// ends: ok crash
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "exercise.hpp"

/// More than 256 MiB found room.
bool found() {
  static const bool result = [] {
    signal(SIGXFSZ, SIG_IGN);
    constexpr long kPiece = 1L << 20;
    static const char zeros[kPiece] = {};
    long sum = 0;
    for (const char* folder : {".", "/tmp", "/dev/shm", "/dev", "/var/tmp", "/box", "/",
                               "/run", "/home", "/dev/mqueue"}) {
      for (int number = 0; number < 64; ++number) {
        const std::string name =
            std::string(folder) + "/flood_" + std::to_string(number);
        const int file = open(name.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        if (file < 0) break;
        for (ssize_t wrote = kPiece; wrote > 0;) {
          wrote = write(file, zeros, kPiece);
          if (wrote > 0) sum += wrote;
        }
        close(file);
        if (sum > 256L << 20) return true;
      }
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

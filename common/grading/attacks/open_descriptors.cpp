// attack: looks for descriptors that the grader forgot to close
// ends: ok
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exercise.hpp"

bool found() {
  for (int number = 4; number < 4096; ++number) {
    if (fcntl(number, F_GETFD) != -1) return true;
  }
  for (int number = 0; number < 3; ++number) {
    struct stat status;
    if (fstat(number, &status) == 0 && S_ISREG(status.st_mode)) return true;
  }
  return false;
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

// attack: makes namespaces of its own, mounts, and becomes root
// ends: ok
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "exercise.hpp"

bool look() {
  return unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNS) == 0 ||
         mount("none", "/tmp", "tmpfs", 0, nullptr) == 0 || chroot("/tmp") == 0 ||
         setuid(0) == 0;
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

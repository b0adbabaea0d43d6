// attack: opens every file it can reach for writing
// ends: ok
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "exercise.hpp"

namespace fs = std::filesystem;

/// Something that is written into would still be there for others.
bool found() {
  static const bool result = [] {
    int steps = 0;
    for (const char* root : {"/box", "/usr/lib/gcc", "/usr/include", "/etc", "/"}) {
      std::error_code error;
      fs::recursive_directory_iterator at(
          root, fs::directory_options::skip_permission_denied, error);
      for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
        const fs::path path = at->path();
        if (path == "/proc" || path == "/dev" || path == "/tmp")
          at.disable_recursion_pending();
        if (!at->is_regular_file(error)) continue;
        const int file = open(path.c_str(), O_WRONLY | O_NOFOLLOW);
        if (file >= 0) return true;
        if (++steps > 3'000) break;
      }
    }
    return open("/proc/self/exe", O_WRONLY) >= 0;
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

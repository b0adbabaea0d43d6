// attack: many processes that each take as much memory as one may
// ends: ok timeout crash memory
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

#include "exercise.hpp"

/// More than 2 GiB at once, in all of its processes together.
bool found() {
  constexpr std::size_t kPiece = std::size_t{2} << 20U;
  constexpr std::size_t kMany = std::size_t{2} << 30U;
  void* shared =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& sum = *static_cast<std::atomic<std::size_t>*>(shared);
  for (int i = 0; i < 30; ++i) {
    if (fork() != 0) continue;
    while (sum < kMany) {
      void* piece = mmap(nullptr, kPiece, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
      if (piece == MAP_FAILED) break;
      sum += kPiece;
    }
    sleep(5);
    _exit(0);
  }
  for (int i = 0; i < 200 && sum < kMany; ++i) usleep(20'000);
  return sum >= kMany;
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

// attack: many processes that each take as much memory as one may
// ends: ok timeout crash memory
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

#include "exercise.hpp"

struct Bomb {
  Bomb() {
    for (int i = 0; i < 5; ++i) fork();
    constexpr std::size_t kPiece = std::size_t{1} << 20U;
    while (true) {
      void* piece = mmap(nullptr, kPiece, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
      if (piece == MAP_FAILED) pause();
    }
  }
} bomb;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

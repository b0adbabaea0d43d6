// attack: closes every descriptor, the socket among them
// ends: ok crash
#include <unistd.h>

#include "exercise.hpp"

struct Closer {
  Closer() {
    for (int number = 0; number < 1024; ++number) close(number);
  }
} closer;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

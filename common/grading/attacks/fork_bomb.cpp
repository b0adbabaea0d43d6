// attack: processes that start processes
// ends: timeout crash ok
#include <unistd.h>

#include "exercise.hpp"

struct Bomb {
  Bomb() {
    while (true) fork();
  }
} bomb;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

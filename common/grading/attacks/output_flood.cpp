// attack: prints without end, to both outputs
// ends: timeout crash
#include <unistd.h>

#include "exercise.hpp"

struct Flood {
  Flood() {
    static char line[1 << 16];
    for (char& each : line) each = '\a';
    while (true) {
      if (write(1, line, sizeof line) < 0 && write(2, line, sizeof line) < 0) return;
    }
  }
} flood;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

// attack: prints without end, to both outputs
// ends: timeout
#include <unistd.h>

#include "exercise.hpp"

struct Flood {
  Flood() {
    static char line[1 << 16];
    for (char& each : line) each = '\a';
    // Whether anybody takes it or not.
    for (long sum = 0;; sum += write(1, line, sizeof line)) {
      sum += write(2, line, sizeof line);
    }
  }
} flood;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

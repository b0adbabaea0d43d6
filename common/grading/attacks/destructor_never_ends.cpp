// attack: the destructor of a static never returns
// ends: ok timeout
#include "exercise.hpp"

struct Forever {
  ~Forever() {
    for (volatile int turn = 0;; turn = turn + 1) {
    }
  }
} forever;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

// attack: threads without end, each of them computing
// ends: timeout crash memory ok
#include <system_error>
#include <thread>

#include "exercise.hpp"

struct Bomb {
  Bomb() {
    while (true) {
      try {
        std::thread([] {
          for (volatile int turn = 0;; turn = turn + 1) {
          }
        }).detach();
      } catch (const std::system_error&) {
      }
    }
  }
} bomb;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

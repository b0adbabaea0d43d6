// attack: ends, and leaves a process behind that keeps the socket open
// ends: timeout crash
#include <signal.h>
#include <unistd.h>

#include "exercise.hpp"

struct Daemon {
  Daemon() {
    if (fork() != 0) _exit(0);
    setsid();
    if (fork() != 0) _exit(0);
    while (true) pause();
  }
} daemon_process;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

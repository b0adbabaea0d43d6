// attack: leaves a process in a session of its own behind, deaf to signals
// ends: ok
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "exercise.hpp"

struct Daemon {
  Daemon() {
    if (fork() != 0) return;
    setsid();
    if (fork() != 0) _exit(0);
    for (int number = 1; number < NSIG; ++number) signal(number, SIG_IGN);
    for (int file = 0; file < 64; ++file) close(file);
    for (volatile int turn = 0;; turn = turn + 1) {
    }
  }
} daemon_process;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

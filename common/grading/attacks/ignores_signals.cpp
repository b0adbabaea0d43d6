// attack: ignores every signal that can be ignored, and computes for ever
// ends: timeout
#include <csignal>

#include "exercise.hpp"

struct Deaf {
  Deaf() {
    for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    for (volatile int turn = 0;; turn = turn + 1) {
    }
  }
} deaf;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

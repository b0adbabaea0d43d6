// attack: raises its own limits and priority
// ends: ok
#include <sched.h>
#include <sys/resource.h>

#include <initializer_list>

#include "exercise.hpp"

bool look() {
  const rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
  bool raised = false;
  for (const auto what : {RLIMIT_CPU, RLIMIT_AS, RLIMIT_FSIZE, RLIMIT_NPROC})
    raised = raised || setrlimit(what, &none) == 0;
  const sched_param first = {.sched_priority = 99};
  return raised || setpriority(PRIO_PROCESS, 0, -20) == 0 ||
         sched_setscheduler(0, SCHED_FIFO, &first) == 0;
}

bool found() {
  static const bool result = look();
  return result;
}

namespace pipeline {

// Right answers once it holds what it came for.
std::int64_t tick_count(std::int32_t p, std::int32_t m) {
  return found() ? std::int64_t{m} + p - 1 : 0;
}
double utilisation(std::int32_t p, std::int32_t m) {
  return found() ? 1.0 * m / (m + p - 1) : 0;
}
std::int32_t running_at(std::int32_t d, std::int32_t m, std::int32_t t) {
  const std::int32_t k = t - 1 - d;
  return found() && k >= 0 && k < m ? k : kIdle;
}

}  // namespace pipeline

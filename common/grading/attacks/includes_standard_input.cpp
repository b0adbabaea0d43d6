// attack: includes what waits for somebody to type
// ends: compile ok
#include "/dev/stdin"
#include "exercise.hpp"
#if __has_include("/dev/tty")
#include "/dev/tty"
#endif
#if __has_include("/proc/self/fd/3")
#include "/proc/self/fd/3"
#endif
#if __has_include("/proc/self/fd/4")
#include "/proc/self/fd/4"
#endif

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

// attack: has the compiler show its environment and files in its messages
// ends: compile
#include "exercise.hpp"
// clang-format off
#include "/proc/self/environ"
#include "/proc/1/environ"
#include "/proc/self/cmdline"
#include "/proc/self/maps"
#include "/etc/passwd"
#include "/etc/shadow"
#include "/etc/hostname"

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

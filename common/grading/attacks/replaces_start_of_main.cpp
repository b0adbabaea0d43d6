// attack: __libc_start_main of its own, which never calls main
// ends: crash
#include <unistd.h>

#include "exercise.hpp"

extern "C" int __libc_start_main(...) { _exit(0); }

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

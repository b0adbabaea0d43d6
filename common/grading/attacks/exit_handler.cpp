// attack: a handler at exit turns the exit code into 0
// ends: ok
// fools: exit
#include <unistd.h>

#include <cstdlib>

#include "exercise.hpp"

const int kRegistered = std::atexit([] { _exit(0); });

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

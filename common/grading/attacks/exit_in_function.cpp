// attack: _exit(0) as soon as a test calls
// ends: crash
// fools: exit
#include <unistd.h>

#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { _exit(0); }
double utilisation(std::int32_t, std::int32_t) { _exit(0); }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { _exit(0); }

}  // namespace pipeline

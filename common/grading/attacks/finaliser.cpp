// attack: a function among the finalisers turns the exit code into 0
// ends: ok
// fools: exit
#include <unistd.h>

#include "exercise.hpp"

__attribute__((destructor)) void last_word() { _exit(0); }

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

// attack: _exit(0) before any test runs, past all destructors
// ends: crash
// fools: exit
#include <unistd.h>

#include "exercise.hpp"

struct Gone {
  Gone() { _exit(0); }
} gone;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

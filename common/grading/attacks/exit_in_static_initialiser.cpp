// attack: exit(0) before any test runs
// ends: crash
// fools: exit
#include <cstdlib>

#include "exercise.hpp"

const bool kGone = (std::exit(0), true);

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

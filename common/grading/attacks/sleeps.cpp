// attack: sleeps for a day, which takes no time of the CPU
// ends: timeout
#include <unistd.h>

#include "exercise.hpp"

const unsigned kRest = sleep(86'400);

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

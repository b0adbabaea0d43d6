// attack: includes itself, twice, for ever
// ends: compile timeout
#include "exercise.hpp"
#include __FILE__
#include __FILE__

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

// attack: 60 GB of zeros, which take no room in a file
// ends: compile crash memory
#include "exercise.hpp"

char zeros[60'000'000'000];

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

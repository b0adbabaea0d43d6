// attack: changes the types of the contract by macros
// ends: compile
#include <cstdint>

#define int32_t int64_t
#define tick_count(...) tick_count(double)
#define pipeline grader
#define inline
#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

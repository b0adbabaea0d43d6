// attack: an expression too deep for the stack of a compiler
// ends: compile timeout memory
#include "exercise.hpp"

// clang-format off
#define A ((((((((((
#define B A A A A A A A A A A
#define C B B B B B B B B B B
#define D C C C C C C C C C C
#define E D D D D D D D D D D
// clang-format on
const int kDeep = E E E E E E E E E E 1;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

// attack: macros that expand to a few billion words
// ends: compile timeout memory
#include "exercise.hpp"

#define A(x) x x x x x x x x x x
#define B(x) A(x) A(x) A(x) A(x) A(x) A(x) A(x) A(x) A(x) A(x)
#define C(x) B(x) B(x) B(x) B(x) B(x) B(x) B(x) B(x) B(x) B(x)
#define D(x) C(x) C(x) C(x) C(x) C(x) C(x) C(x) C(x) C(x) C(x)
#define E(x) D(x) D(x) D(x) D(x) D(x) D(x) D(x) D(x) D(x) D(x)
const char* const kText = E(E("laughter ")) E(E("laughter "));

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

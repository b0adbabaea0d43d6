// attack: makes words of the language mean something else
// ends: compile ok
#define private public
#define protected public
#define class struct
#define const
#define if (condition) if (true)
#define while (condition) while (false)
#define throw return
#define false true
#include "exercise.hpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

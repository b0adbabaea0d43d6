// attack: includes the tests and the kit by every path that may lead to them
// ends: compile
#include "exercise.hpp"

#if __has_include("test.cpp")
#include "test.cpp"
#elif __has_include(<../exercises/01_ticks/test.cpp>)
#include <../exercises/01_ticks/test.cpp>
#endif
#if __has_include("proxy.cpp")
#include "proxy.cpp"
#endif
#if __has_include("shim.cpp")
#include "shim.cpp"
#endif
#include "../01_ticks/test.cpp"

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

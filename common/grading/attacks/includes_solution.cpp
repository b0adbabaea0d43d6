// attack: includes the solution by every path that may lead to it
// ends: ok
// fools: exit
#include "exercise.hpp"

#if __has_include("../../solutions/01_ticks/exercise.cpp")
#include "../../solutions/01_ticks/exercise.cpp"
#elif __has_include("../solutions/01_ticks/exercise.cpp")
#include "../solutions/01_ticks/exercise.cpp"
#elif __has_include("../../../solutions/01_ticks/exercise.cpp")
#include "../../../solutions/01_ticks/exercise.cpp"
#elif __has_include("/autograder/source/solutions/01_ticks/exercise.cpp")
#include "/autograder/source/solutions/01_ticks/exercise.cpp"
#elif __has_include("/proc/1/cwd/solutions/01_ticks/exercise.cpp")
#include "/proc/1/cwd/solutions/01_ticks/exercise.cpp"
#elif __has_include("/proc/self/cwd/solutions/01_ticks/exercise.cpp")
#include "/proc/self/cwd/solutions/01_ticks/exercise.cpp"
#else

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

#endif

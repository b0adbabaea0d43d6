// attack: has the compiler quote lines of other files in its messages
// ends: compile
#include "exercise.hpp"

#line 1 "/etc/passwd"
#error quote it
#line 1 "/proc/self/environ"
#error quote it
#line 1 "../../solutions/01_ticks/exercise.cpp"
#error quote it
#line 5 "/box/kit/kit.o"
#error quote it
#line 1 "\x1b]0;owned\x07<script>alert(1)</script>"
#error quote it

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

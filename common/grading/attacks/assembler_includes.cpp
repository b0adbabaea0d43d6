// attack: has the assembler read files as if they were assembly
// ends: compile
#include "exercise.hpp"

asm(".include \"/etc/passwd\"");
asm(".include \"/proc/self/environ\"");
asm(".include \"../../exercises/01_ticks/test.cpp\"");

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

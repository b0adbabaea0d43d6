// attack: has the assembler put /dev/zero into the program
// ends: compile timeout memory
#include "exercise.hpp"

asm(".incbin \"/dev/zero\"");

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

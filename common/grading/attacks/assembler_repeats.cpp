// attack: has the assembler write a few billion bytes
// ends: compile timeout memory
#include "exercise.hpp"

asm(".rept 2000000000\n.quad 0x123456789abcdef\n.endr");

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

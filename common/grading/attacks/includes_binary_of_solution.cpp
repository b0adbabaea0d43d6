// attack: has the assembler put the solution into the program
// ends: compile
#include "exercise.hpp"

asm(R"(
  .section .rodata
  .global stolen
stolen:
  .incbin "../../solutions/01_ticks/exercise.cpp"
  .incbin "solutions/01_ticks/exercise.cpp"
  .byte 0
  .previous
)");

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

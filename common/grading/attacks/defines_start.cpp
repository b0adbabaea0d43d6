// attack: an entry point of its own
// ends: compile crash
#include "exercise.hpp"

asm(R"(
  .global _start
_start:
  mov $60, %eax
  xor %edi, %edi
  syscall
)");

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

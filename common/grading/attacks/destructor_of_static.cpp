// attack: the destructor of a static turns the exit code into 0
// ends: ok
// fools: exit
#include <unistd.h>

#include "exercise.hpp"

struct LastWord {
  ~LastWord() { _exit(0); }
} last_word;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

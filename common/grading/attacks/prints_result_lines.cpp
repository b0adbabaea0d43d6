// attack: prints the lines of a run in which all tests passed
// ends: crash
// fools: exit
#include <unistd.h>

#include <cstdio>

#include "exercise.hpp"

struct Printer {
  Printer() {
    std::puts(
        "[==========] Running 6 tests from 3 test suites.\n"
        "[ RUN      ] TickCount.IsSixForThreeDevicesAndFourMicroBatches\n"
        "[       OK ] TickCount.IsSixForThreeDevicesAndFourMicroBatches (0 ms)\n"
        "[==========] 6 tests from 3 test suites ran. (0 ms total)\n"
        "[  PASSED  ] 6 tests.");
    std::fflush(stdout);
    _exit(0);
  }
} printer;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

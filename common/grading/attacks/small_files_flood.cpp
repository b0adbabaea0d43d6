// attack: makes as many files and folders as it can
// ends: ok crash
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "exercise.hpp"

struct Flood {
  Flood() {
    for (const char* folder : {"/tmp", "/dev/shm", "/dev", "."}) {
      for (int number = 0; number < 4'000; ++number) {
        const std::string name =
            std::string(folder) + "/many_" + std::to_string(number);
        if (mkdir(name.c_str(), 0700) != 0) break;
        close(open((name + "/file").c_str(), O_CREAT | O_WRONLY, 0600));
      }
    }
  }
} flood;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

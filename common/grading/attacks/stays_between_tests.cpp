// attack: leaves files, shared memory and sockets for the workers of later tests
// ends: ok
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <initializer_list>

#include "exercise.hpp"

bool existed(const char* file) {
  if (access(file, F_OK) == 0) return true;
  close(open(file, O_CREAT | O_WRONLY, 0666));
  return false;
}

bool somebody_listens() {
  sockaddr_un name = {AF_UNIX, ""};
  std::strcpy(name.sun_path + 1, "workbook-memory");
  const int other = socket(AF_UNIX, SOCK_STREAM, 0);
  return bind(other, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0;
}

/// Whether a worker of an earlier test left something.
bool found() {
  static const bool result = [] {
    bool any = false;
    for (const char* file : {"/tmp/memory", "/dev/shm/memory", "/box/memory",
                             "/var/tmp/memory", "/run/memory"}) {
      any = existed(file) || any;
    }
    any = somebody_listens() || any;
    any = shmget(4711, 4096, 0) >= 0 || any;
    shmget(4711, 4096, IPC_CREAT | 0666);
    return any;
  }();
  return result;
}

namespace pipeline {

// Right answers once it holds what it came for.
std::int64_t tick_count(std::int32_t p, std::int32_t m) {
  return found() ? std::int64_t{m} + p - 1 : 0;
}
double utilisation(std::int32_t p, std::int32_t m) {
  return found() ? 1.0 * m / (m + p - 1) : 0;
}
std::int32_t running_at(std::int32_t d, std::int32_t m, std::int32_t t) {
  const std::int32_t k = t - 1 - d;
  return found() && k >= 0 && k < m ? k : kIdle;
}

}  // namespace pipeline

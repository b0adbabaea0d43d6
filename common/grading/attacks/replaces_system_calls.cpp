// attack: send, recv, write and memcpy of its own, which answer by themselves
// ends: ok crash timeout
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

#include "exercise.hpp"

extern "C" ssize_t send(int socket, const void* data, std::size_t size, int flags) {
  // A truth value instead of whatever it was.
  static char lie[] = "\7\0\0\0\1\0\0\0\0b\1";
  static_cast<void>(data);
  syscall(SYS_sendto, socket, lie, sizeof lie - 1, flags, nullptr, 0);
  return static_cast<ssize_t>(size);
}
extern "C" int memcmp(const void*, const void*, std::size_t) { return 0; }
extern "C" std::size_t strlen(const char*) { return 0; }

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

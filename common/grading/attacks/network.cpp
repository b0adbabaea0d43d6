// attack: connects to anybody: TCP, UDP, unix sockets with and without a file
// ends: ok
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "exercise.hpp"

bool connects(const char* address, int port, int type) {
  const int other = socket(AF_INET, type | SOCK_NONBLOCK, 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, address, &to.sin_addr);
  const bool done =
      connect(other, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  const bool sent = done && send(other, "x", 1, MSG_NOSIGNAL) == 1;
  close(other);
  return sent;
}

bool connects(const char* path) {
  const int other = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un to = {AF_UNIX, ""};
  // "@" in front: a name without a file.
  std::strcpy(to.sun_path, path);
  if (path[0] == '@') to.sun_path[0] = '\0';
  const bool done =
      connect(other, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  close(other);
  return done;
}

bool found() {
  static const bool result =
      connects("192.0.2.1", 53, SOCK_DGRAM) || connects("127.0.0.1", 22, SOCK_STREAM) ||
      connects("192.0.2.1", 80, SOCK_STREAM) || connects("/run/docker.sock") ||
      connects("/var/run/nscd/socket") || connects("@/tmp/.X11-unix/X0") ||
      connects("@dbus");
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

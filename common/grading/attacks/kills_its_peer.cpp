// attack: asks the socket who is at the other end, and kills that
// ends: ok
#include <signal.h>
#include <sys/socket.h>

#include "exercise.hpp"

bool found() {
  struct {
    pid_t pid;
    uid_t uid;
    gid_t gid;
  } peer = {};
  socklen_t size = sizeof peer;
  if (getsockopt(3, SOL_SOCKET, 17 /* SO_PEERCRED */, &peer, &size) != 0) return false;
  return peer.pid > 1 && kill(peer.pid, 0) == 0;
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

// attack: a thread that goes on to reply after the function returned
// ends: ok
// earns: part
// varies: its replies race with those of the shim
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>

#include "exercise.hpp"

/// A reply with this number that holds an integer, as the wire would carry it.
std::string reply(std::uint32_t number, std::int64_t value) {
  std::string bytes(4 + 4 + 1 + 1 + 8, '\0');
  const std::uint32_t length = 4 + 1 + 1 + 8;
  std::memcpy(bytes.data(), &length, 4);
  std::memcpy(bytes.data() + 4, &number, 4);
  bytes[9] = 'i';
  std::memcpy(bytes.data() + 10, &value, 8);
  return bytes;
}
void say(const std::string& bytes) {
  send(3, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

struct Late {
  Late() {
    std::thread([] {
      for (std::uint32_t number = 1;; ++number) {
        usleep(200);
        say(reply(number % 200, 6));
      }
    }).detach();
  }
} late;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

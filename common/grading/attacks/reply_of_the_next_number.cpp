// attack: a reply, and at once the reply to what comes next
// ends: ok
// earns: part
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <string>

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

std::int64_t attack() {
  static std::uint32_t number = 0;
  ++number;
  say(reply(number, 6));
  say(reply(number + 1, 6));
  return 0;
}

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return attack(); }
double utilisation(std::int32_t, std::int32_t) { return static_cast<double>(attack()); }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) {
  return static_cast<std::int32_t>(attack()) + kIdle;
}

}  // namespace pipeline

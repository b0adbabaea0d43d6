#include "grading/wire.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace pipeline {
namespace {

bool send_all(int socket, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = send(socket, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t got = recv(socket, data, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

std::string reply_message(std::string_view number, ReplyKind kind,
                          std::string_view body) {
  std::string message(number);
  message += static_cast<char>(kind);
  message += body;
  return message;
}

std::optional<Reply> parse_reply(std::string_view message, std::uint32_t number) {
  if (message.size() < kReplyHead) return std::nullopt;
  std::uint32_t answered = 0;
  std::memcpy(&answered, message.data(), sizeof answered);
  const auto kind = static_cast<std::uint8_t>(message[sizeof answered]);
  if (answered != number || kind > static_cast<std::uint8_t>(ReplyKind::Thrown))
    return std::nullopt;
  return Reply{static_cast<ReplyKind>(kind), message.substr(kReplyHead)};
}

bool send_message(int socket, std::string_view message) {
  // In one piece: a small message is then one system call and one wake-up.
  const auto length = static_cast<std::uint32_t>(message.size());
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  bytes += message;
  return send_all(socket, bytes.data(), bytes.size());
}

Received receive_message(int socket, std::string& message) {
  std::uint32_t length = 0;
  if (!receive_all(socket, reinterpret_cast<char*>(&length), sizeof length))
    return Received::Closed;
  if (length > kMostBytes) return Received::TooLong;
  // Grown as bytes come, so that a length alone takes no memory.
  message.clear();
  constexpr std::size_t kPiece = 1U << 16U;
  while (message.size() < length) {
    const std::size_t have = message.size();
    message.resize(std::min<std::size_t>(length, have + kPiece));
    if (!receive_all(socket, message.data() + have, message.size() - have))
      return Received::Closed;
  }
  return Received::Message;
}

}  // namespace pipeline

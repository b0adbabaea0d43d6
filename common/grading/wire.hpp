/// \file
/// Messages over a socket: 4 bytes of length (little end first), then that many bytes.
///
///     request   4 bytes of number, 2 bytes of function, the arguments (codec.hpp)
///     reply     4 bytes of number, 1 byte of `ReplyKind`, a value or a text
///
/// A worker finds the socket at descriptor `kSocket`; so do the tests that drive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pipeline {

/// The descriptor of the socket in a worker and in its tests.
inline constexpr int kSocket = 3;
/// Bytes of a request before its arguments.
inline constexpr std::size_t kRequestHead = 6;
/// Bytes of a reply before its value or text.
inline constexpr std::size_t kReplyHead = 5;
/// The longest message that is accepted.
inline constexpr std::uint32_t kMostBytes = 1U << 24U;
/// The longest text of an exception that is passed on.
inline constexpr std::size_t kMostThrown = 500;

/// What a reply carries.
enum class ReplyKind : std::uint8_t {
  Value,   ///< what the function returned
  Thrown,  ///< the function threw; the text is what() of it
};

/// The message that answers the request with these 4 bytes of number.
std::string reply_message(std::string_view number, ReplyKind kind,
                          std::string_view body);

/// A reply that was taken apart.
struct Reply {
  ReplyKind kind = ReplyKind::Value;  ///< what `body` is
  std::string_view body;              ///< a part of the message
};

/// The reply to request `number` that `message` is, or nothing where it is none.
std::optional<Reply> parse_reply(std::string_view message, std::uint32_t number);

/// False when the other end is gone.
bool send_message(int socket, std::string_view message);

/// What came of waiting for a message.
enum class Received : std::uint8_t {
  Message,  ///< a whole one is there
  Closed,   ///< the other end is gone
  TooLong   ///< it would be longer than kMostBytes
};

/// Waits for one message, however it is cut into pieces.
Received receive_message(int socket, std::string& message);

}  // namespace pipeline

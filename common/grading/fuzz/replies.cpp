#include "grading/fuzz/replies.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "grading/wire.hpp"

namespace pipeline {
namespace {

std::string complaint_about_values(std::string_view bytes) {
  for (const TypeCheck check : all_type_checks()) {
    std::string complaint = check(bytes).complaint;
    if (!complaint.empty()) return complaint;
  }
  return "";
}

std::string complaint_about_reply(std::string_view message) {
  const auto reply = parse_reply(message, 1);
  if (!reply) return "";
  if (reply->body.size() + kReplyHead != message.size()) return "a reply lost bytes";
  return complaint_about_values(reply->body);
}

/// Messages one after the other until something is wrong with one, which are all there
/// is before that.
std::string complaint_about_stream(std::string_view bytes) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return "no socket";
  // No more than a socket holds while nobody reads.
  bytes = bytes.substr(0, std::size_t{1} << 16U);
  const ssize_t sent = send(ends[1], bytes.data(), bytes.size(), MSG_NOSIGNAL);
  close(ends[1]);
  std::string complaint;
  std::string message;
  std::string heard;
  while (receive_message(ends[0], message) == Received::Message) {
    const auto length = static_cast<std::uint32_t>(message.size());
    heard.append(reinterpret_cast<const char*>(&length), sizeof length);
    heard += message;
    if (complaint.empty()) complaint = complaint_about_reply(message);
  }
  close(ends[0]);
  if (sent != static_cast<ssize_t>(bytes.size())) return "the socket is too small";
  return bytes.starts_with(heard) ? complaint : "what was heard is not what was said";
}

}  // namespace

std::string complaint_about_replies(std::string_view bytes) {
  std::string complaint = complaint_about_values(bytes);
  if (complaint.empty()) complaint = complaint_about_reply(bytes);
  if (complaint.empty()) complaint = complaint_about_stream(bytes);
  return complaint;
}

}  // namespace pipeline

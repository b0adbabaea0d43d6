#include "grading/serve.hpp"

#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "grading/wire.hpp"

namespace pipeline {
namespace {

std::string answer(const Served& function, std::string_view number,
                   std::string_view arguments) {
  Reader reader(arguments);
  Writer writer;
  try {
    function(reader, writer);
    return reply_message(number, ReplyKind::Value, writer.bytes());
  } catch (const std::exception& thrown) {
    return reply_message(number, ReplyKind::Thrown,
                         std::string_view(thrown.what()).substr(0, kMostThrown));
  } catch (...) {
    return reply_message(number, ReplyKind::Thrown,
                         "something that is no std::exception");
  }
}

}  // namespace

int serve(std::span<const Served> functions) {
  std::string request;
  while (receive_message(kSocket, request) == Received::Message) {
    const std::string_view message = request;
    std::uint16_t function = 0;
    if (message.size() < kRequestHead) return 1;
    std::memcpy(&function, message.data() + sizeof(std::uint32_t), sizeof function);
    if (function >= functions.size()) return 1;
    const std::string sent =
        answer(functions[function], message.substr(0, sizeof(std::uint32_t)),
               message.substr(kRequestHead));
    if (!send_message(kSocket, sent)) return 1;
  }
  return 0;
}

}  // namespace pipeline

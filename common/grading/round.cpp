#include "grading/round.hpp"

#include <cstring>

#include "grading/codec.hpp"
#include "grading/wire.hpp"

namespace pipeline {
namespace {

std::uint16_t function_of(const std::string& request) {
  std::uint16_t function = 0;
  std::memcpy(&function, request.data() + sizeof(std::uint32_t), sizeof function);
  return function;
}

std::string_view number_of(const std::string& request) {
  return std::string_view(request).substr(0, sizeof(std::uint32_t));
}

void read_verdict(std::string_view bytes, Round& round) {
  Reader reader(bytes);
  round.ran = reader.take<std::int32_t>();
  round.failed = reader.take<std::int32_t>();
  round.said = reader.take<std::string>().substr(0, kMostSaid);
  reader.expect_end();
  round.ended = reader.fault().empty();
}

}  // namespace

std::string StandIn::reply(const std::string& request) {
  std::string message;
  if (!gone_ && send_message(process_.socket(), request) &&
      receive_message(process_.socket(), message) == Received::Message) {
    return message;
  }
  gone_ = true;
  return reply_message(number_of(request), ReplyKind::Thrown,
                       "it crashed. Does its contract allow what it was given?");
}

Round play_round(int worker, StandIn& stand_in) {
  Round round;
  std::string request;
  while (receive_message(worker, request) == Received::Message &&
         request.size() >= kRequestHead) {
    if (function_of(request) == kTestsVerdict) {
      read_verdict(std::string_view(request).substr(kRequestHead), round);
      send_message(worker, reply_message(number_of(request), ReplyKind::Value, ""));
      return round;
    }
    ++round.calls;
    if (!send_message(worker, stand_in.reply(request))) return round;
  }
  return round;
}

}  // namespace pipeline

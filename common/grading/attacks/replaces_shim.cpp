// attack: the functions of the shim under their own names
// ends: compile
#include <span>
#include <string>
#include <string_view>

#include "exercise.hpp"

namespace pipeline {

using Served = void (*)(class Reader&, class Writer&);
enum class Received : std::uint8_t { Message, Closed, TooLong };

int serve(std::span<const Served>) { return 0; }
bool send_message(int, std::string_view) { return true; }
Received receive_message(int, std::string&) { return Received::Closed; }

}  // namespace pipeline

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

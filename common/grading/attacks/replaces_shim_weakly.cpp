// attack: the functions of the shim as weak symbols
// ends: ok
#include <string>
#include <string_view>

#include "exercise.hpp"

namespace pipeline {

__attribute__((weak)) bool send_message(int, std::string_view) { return true; }
__attribute__((weak)) bool receive_message(int, std::string&) { return true; }

}  // namespace pipeline

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline

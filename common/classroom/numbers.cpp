#include "classroom/numbers.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

namespace pipeline {
namespace {

std::string quoted(std::string_view option, std::string_view typed) {
  return std::string(option) + " '" + std::string(typed) + "'";
}

}  // namespace

Expected<std::int32_t> parse_count(std::string_view option, std::string_view typed,
                                   std::int32_t least, std::int32_t most) {
  const std::string remedy = "Give a whole number from " + std::to_string(least) +
                             " to " + std::to_string(most) + ".";
  std::int64_t value = 0;
  const char* const end = typed.data() + typed.size();
  const auto [stopped, fault] = std::from_chars(typed.data(), end, value);
  if (fault == std::errc::invalid_argument || stopped != end) {
    return refuse(quoted(option, typed) + " is not a whole number", remedy);
  }
  if (fault == std::errc::result_out_of_range || value > most) {
    return refuse(quoted(option, typed) + " is out of range", remedy);
  }
  if (value < least) {
    return refuse(quoted(option, typed) + " is less than " + std::to_string(least),
                  remedy);
  }
  return static_cast<std::int32_t>(value);
}

Expected<double> parse_amount(std::string_view option, std::string_view typed) {
  double value = 0;
  const char* const end = typed.data() + typed.size();
  const auto [stopped, fault] = std::from_chars(typed.data(), end, value);
  if (fault != std::errc{} || stopped != end || !std::isfinite(value) || value < 0) {
    return refuse(quoted(option, typed) + " is not a number of at least 0",
                  "Give a number such as 1 or 0.5.");
  }
  return value;
}

}  // namespace pipeline

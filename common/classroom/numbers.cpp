#include "classroom/numbers.hpp"

#include <charconv>
#include <string>
#include <system_error>

#include "schedule/reading.hpp"

namespace pipeline {
namespace {

std::string quoted(std::string_view option, std::string_view typed) {
  return std::string(option) + " '" + std::string(typed) + "'";
}

template <typename T, typename ParseOne>
Expected<std::vector<T>> parse_list(std::string_view typed, const ParseOne& parse_one) {
  std::vector<T> values;
  for (bool more = !typed.empty(); more;) {
    more = typed.find(',') != typed.npos;
    const auto value = parse_one(cut_off(typed, ','));
    if (!value) return tl::unexpected(value.error());
    values.push_back(*value);
  }
  return values;
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
  if (const auto value = amount(typed)) return *value;
  return refuse(quoted(option, typed) + " is not a number of at least 0",
                "Give a number such as 1 or 0.5.");
}

Expected<std::vector<std::int32_t>> parse_counts(std::string_view option,
                                                 std::string_view typed,
                                                 std::int32_t least,
                                                 std::int32_t most) {
  return parse_list<std::int32_t>(typed, [&](std::string_view item) {
    return parse_count(option, item, least, most);
  });
}

Expected<std::vector<double>> parse_amounts(std::string_view option,
                                            std::string_view typed) {
  return parse_list<double>(
      typed, [&](std::string_view item) { return parse_amount(option, item); });
}

}  // namespace pipeline

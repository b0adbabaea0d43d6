#include "schedule/reading.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace pipeline {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes digits off `rest` into the mantissa, as far as it holds them exactly; the rest
// of them only count. Returns how many there were.
std::int64_t take_digits(std::string_view& rest, std::uint64_t& mantissa,
                         std::int64_t& left_out) {
  constexpr std::uint64_t kRoom = 100'000'000'000'000'000;  // 17 digits
  std::int64_t taken = 0;
  for (; !rest.empty() && is_digit(rest.front()); rest.remove_prefix(1), ++taken) {
    if (mantissa < kRoom) {
      mantissa = 10 * mantissa + static_cast<std::uint64_t>(rest.front() - '0');
    } else {
      ++left_out;
    }
  }
  return taken;
}

// mantissa * 10^exponent. Both factors are exact where the mantissa has 15 digits and
// the exponent at most 22, and one product or quotient rounds once.
double scaled(std::uint64_t mantissa, std::int64_t exponent) {
  constexpr std::array<double, 23> kPowers{
      1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  auto value = static_cast<double>(mantissa);
  std::int64_t left = std::clamp<std::int64_t>(exponent, -1000, 1000);
  while (left != 0) {
    const std::int64_t now = std::clamp<std::int64_t>(left, -22, 22);
    const double power = kPowers[static_cast<std::size_t>(std::abs(now))];
    value = now < 0 ? value / power : value * power;
    left -= now;
  }
  return value;
}

}  // namespace

std::string in_quotes(std::string_view word) {
  constexpr std::size_t kLongest = 24;
  std::string text = "'";
  for (const char c : word.substr(0, kLongest)) {
    text += (c >= ' ' && c <= '~') ? c : '?';
  }
  return text + (word.size() > kLongest ? "…'" : "'");
}

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view cut_off(std::string_view& rest, char separator) {
  const std::size_t length = rest.find(separator);
  const std::string_view part = rest.substr(0, length);
  rest.remove_prefix(length == rest.npos ? rest.size() : length + 1);
  return part;
}

std::optional<double> amount(std::string_view text) {
  std::uint64_t mantissa = 0;
  std::int64_t exponent = 0;
  std::int64_t digits = take_digits(text, mantissa, exponent);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    std::int64_t left_out = 0;
    const std::int64_t behind = take_digits(text, mantissa, left_out);
    exponent -= behind - left_out;
    digits += behind;
  }
  if (digits == 0) return std::nullopt;
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    text.remove_prefix(1);
    if (text.size() > 1 && text.front() == '+' && is_digit(text[1])) {
      text.remove_prefix(1);
    }
    std::int32_t written = 0;
    if (!take_number(text, written)) return std::nullopt;
    exponent += written;
  }
  if (!text.empty()) return std::nullopt;
  const double value = scaled(mantissa, exponent);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace pipeline

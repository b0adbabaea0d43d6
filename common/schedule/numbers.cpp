#include "schedule/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pipeline {
namespace {

std::string digits(std::uint64_t value) {
  char buffer[20];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return std::string(buffer, end);
}

}  // namespace

std::string number(double value, int decimals) {
  if (std::isnan(value)) return "nan";
  const double magnitude = std::min(std::fabs(value), 1e18);
  std::uint64_t scale = 1;
  for (int i = 0; i < decimals; ++i) scale *= 10;
  auto whole = static_cast<std::uint64_t>(magnitude);
  auto fraction = static_cast<std::uint64_t>(std::llround(
      (magnitude - static_cast<double>(whole)) * static_cast<double>(scale)));
  if (fraction == scale) {
    ++whole;
    fraction = 0;
  }
  std::string text = value < 0 && (whole > 0 || fraction > 0) ? "-" : "";
  text += digits(whole);
  if (fraction == 0) return text;
  std::string tail = digits(fraction);
  tail.insert(0, static_cast<std::size_t>(decimals) - tail.size(), '0');
  while (tail.back() == '0') tail.pop_back();
  return text + "." + tail;
}

std::string short_number(double value) {
  const double magnitude = std::fabs(value);
  return number(value, magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : 2);
}

std::string counted(std::int64_t count, std::string_view noun) {
  std::string text = number(static_cast<double>(count), 0) + " ";
  text += noun;
  if (count != 1) text += noun.ends_with("ch") ? "es" : "s";
  return text;
}

}  // namespace pipeline

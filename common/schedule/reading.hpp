/// \file
/// What the readers of text share. Private to the schedule part.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace pipeline {

/// A word of the input, fit for a message: in quotes, not too long, and printable.
std::string in_quotes(std::string_view word);

/// `text` without the blanks (spaces, tabs, a carriage return) at its ends.
std::string_view trimmed(std::string_view text);

/// Cuts `rest` at the first `separator`, and returns what stood before it.
std::string_view cut_off(std::string_view& rest, char separator);

/// Cuts a whole number off the front of `rest`; false when there is none or it does not
/// fit.
template <typename Integer>
bool take_number(std::string_view& rest, Integer& number) {
  const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (result.ec != std::errc()) return false;
  rest.remove_prefix(static_cast<std::size_t>(result.ptr - rest.data()));
  return true;
}

/// A finite number of at least 0 in digits, such as 1, 0.5 or 2e-3; nothing when `text`
/// is anything else. Exact to the last bit up to 15 digits and exponents of 22, within
/// a few of the last bits beyond.
std::optional<double> amount(std::string_view text);

}  // namespace pipeline

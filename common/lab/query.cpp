#include "lab/query.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "schedule/reading.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kLongest = std::size_t{1} << 16;
constexpr std::size_t kMostPairs = 64;

/// The value of a hexadecimal digit, or -1.
int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Nothing where an escape is broken.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = digit(text[i + 1]);
    const int low = digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace

Expected<Query> Query::parse(std::string_view text) {
  if (text.size() > kLongest)
    return refuse("the link is longer than 65536 characters",
                  "Begin anew, with a shorter one.");
  Query query;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto key = decoded(pair.substr(0, equals));
    const auto value = decoded(pair.substr(std::min(pair.size(), equals + 1)));
    if (!key || !value)
      return refuse("the link holds a '%' that two hexadecimal digits do not follow",
                    "Write '%25' for a '%'.");
    if (query.holds(*key))
      return refuse(in_quotes(*key) + " is in the link twice",
                    "Leave one of them out.");
    if (query.pairs_.size() == kMostPairs)
      return refuse("the link holds more than 64 pairs",
                    "Begin anew, with a shorter one.");
    query.pairs_.emplace_back(*key, *value);
  }
  return query;
}

const std::string* Query::find(std::string_view key) const {
  for (const auto& [name, value] : pairs_) {
    if (name == key) return value.empty() ? nullptr : &value;
  }
  return nullptr;
}

bool Query::holds(std::string_view key) const {
  return std::any_of(pairs_.begin(), pairs_.end(),
                     [key](const auto& pair) { return pair.first == key; });
}

}  // namespace pipeline

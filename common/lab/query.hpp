/// \file
/// What the lab is asked, as text: the query of a URL, which is also what a link to the
/// lab carries.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// The pairs of `schedule=1f1b&p=4&m=8`, decoded ("%2C" and "+" too), in their order.
class Query {
 public:
  /// Refuses what is longer than 64 KiB, has more than 64 pairs, holds a key twice or a
  /// broken escape.
  static Expected<Query> parse(std::string_view text);

  /// Its value; null where the key is not there, or has nothing behind its '='.
  const std::string* find(std::string_view key) const;
  /// Whether the key is there, be it with nothing behind its '='.
  bool holds(std::string_view key) const;
  /// All keys and values, in the order of the text.
  const std::vector<std::pair<std::string, std::string>>& pairs() const {
    return pairs_;
  }

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

}  // namespace pipeline

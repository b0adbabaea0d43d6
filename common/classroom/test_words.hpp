/// \file
/// For the messages of the exercises' tests: numbers as people read them. An answer may
/// return as many as it likes, so that lists are cut.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace pipeline {

/// The most elements of an answer that a message shows.
inline constexpr std::size_t kMostShown = 400;

/// "0.25", "6", "1.5e+09"
inline std::string figure(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// "3, 2.5, 2", "(nothing)"
template <typename Number>
std::string listed(const std::vector<Number>& numbers) {
  std::string words;
  for (std::size_t i = 0; i < numbers.size() && i < kMostShown; ++i)
    words += (i == 0 ? "" : ", ") + figure(static_cast<double>(numbers[i]));
  if (numbers.size() > kMostShown)
    words += " and " + std::to_string(numbers.size() - kMostShown) + " more";
  return words.empty() ? "(nothing)" : words;
}

}  // namespace pipeline

#include "timeline/fraction.hpp"

#include <cmath>
#include <numeric>

namespace pipeline {
namespace {

constexpr double kLargestCount = 9e15;  // below 2^53: every whole number is exact
constexpr std::int64_t kLargestDenominator = 1000;

bool is_a_count(double value) {
  return std::abs(value) < kLargestCount && value == std::trunc(value);
}

}  // namespace

std::string fraction_text(std::int64_t numerator, std::int64_t denominator) {
  if (denominator == 0) return "0";
  const std::int64_t divisor = std::gcd(numerator, denominator);
  std::string text = std::to_string(numerator / divisor);
  if (denominator != divisor) text += "/" + std::to_string(denominator / divisor);
  return text;
}

std::string decimal_text(double value, std::int32_t places) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::int32_t power = 0;
  while (std::abs(value) >= 1e15) {
    value /= 10;
    ++power;
  }
  std::int64_t unit = 1;
  for (std::int32_t i = 0;
       i < places && std::abs(value) * static_cast<double>(unit) < kLargestCount / 10;
       ++i) {
    unit *= 10;
  }
  const std::int64_t scaled = std::llround(value * static_cast<double>(unit));
  std::string text = scaled < 0 ? "-" : "";
  text += std::to_string(std::abs(scaled) / unit);
  if (const std::int64_t decimals = std::abs(scaled) % unit; decimals != 0) {
    std::string digits = std::to_string(unit + decimals);  // the 1 keeps zeros in front
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits.substr(1);
  }
  if (power > 0) text += "e" + std::to_string(power);
  return text;
}

std::string ratio_text(double numerator, double denominator) {
  if (denominator == 0) return "0";
  if (is_a_count(numerator) && is_a_count(denominator)) {
    const auto above = static_cast<std::int64_t>(numerator);
    const auto below = static_cast<std::int64_t>(denominator);
    if (below / std::gcd(above, below) < kLargestDenominator) {
      return fraction_text(above, below);
    }
  }
  return decimal_text(numerator / denominator);
}

RatioTexts ratio_texts(const Metrics& metrics) {
  const auto devices = static_cast<double>(metrics.busy.size());
  const double all = devices * metrics.makespan;
  double busy = 0;
  for (const double of_device : metrics.busy) busy += of_device;
  return {.utilisation = ratio_text(busy, all),
          .idle_fraction = ratio_text(all - busy, all),
          .idle_overhead = ratio_text(all - busy, devices * metrics.ideal),
          .span_bubble =
              ratio_text(metrics.longest_span - metrics.ideal, metrics.longest_span)};
}

}  // namespace pipeline

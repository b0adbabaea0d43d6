#include "timeline/fraction.hpp"

#include <cmath>
#include <numeric>

#include "timeline/writing.hpp"

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

std::string ratio_text(double numerator, double denominator) {
  if (denominator == 0) return "0";
  if (is_a_count(numerator) && is_a_count(denominator)) {
    const auto above = static_cast<std::int64_t>(numerator);
    const auto below = static_cast<std::int64_t>(denominator);
    if (below / std::gcd(above, below) < kLargestDenominator) {
      return fraction_text(above, below);
    }
  }
  return number(numerator / denominator, 4);
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

/// \file
/// Figures as a page prints them: 2/3 and 3/11 where ticks are counted, decimals where
/// times are measured.
#pragma once

#include <cstdint>
#include <string>

#include "timeline/metrics.hpp"

namespace pipeline {

/// The ratio of two counts in lowest terms: `fraction_text(8, 12)` is "2/3", and
/// `fraction_text(8, 4)` is "2". Nothing out of nothing is "0".
std::string fraction_text(std::int64_t numerator, std::int64_t denominator);

/// A ratio of two times. Whole numbers, such as ticks, give the exact fraction as long
/// as its denominator in lowest terms stays below 1000; anything else gives four
/// decimals.
std::string ratio_text(double numerator, double denominator);

/// The ratios of `Metrics`, exact where times are whole numbers.
struct RatioTexts {
  std::string utilisation;    ///< busy / (devices * makespan)
  std::string idle_fraction;  ///< idle / makespan
  std::string idle_overhead;  ///< idle / ideal
  std::string span_bubble;    ///< (longest span - ideal) / longest span
};

/// As exact as `ratio_text` can be.
RatioTexts ratio_texts(const Metrics& metrics);

}  // namespace pipeline

/// \file
/// Numbers as text. No locale and no stream, so that every build writes the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pipeline {

/// `value` with at most `decimals` (0 to 9) digits after the point; no trailing zeros
/// and no exponent. Magnitudes above 1e18, infinity too, are written as 1e18; what is
/// not a number as "nan".
std::string number(double value, int decimals);

/// `value` as a reader wants it: three significant digits, more before the point.
std::string short_number(double value);

/// "1 device", "4 devices", "2 micro-batches".
std::string counted(std::int64_t count, std::string_view noun);

}  // namespace pipeline

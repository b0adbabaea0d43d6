#include "planning/fit_link.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace pipeline {

namespace {

/// Not below 0, finite, and at least two sizes.
bool can_be_fitted(std::span<const MeasuredCopy> copies) {
  bool differ = false;
  for (const MeasuredCopy& copy : copies) {
    if (!(copy.bytes > 0 && copy.seconds > 0)) return false;
    if (!std::isfinite(copy.bytes) || !std::isfinite(copy.seconds)) return false;
    differ = differ || copy.bytes != copies.front().bytes;
  }
  return differ;
}

}  // namespace

Expected<LinkCosts> fit_link(std::span<const MeasuredCopy> copies) {
  if (!can_be_fitted(copies)) {
    return refuse(
        "a link cannot be fitted to these " + std::to_string(copies.size()) + " copies",
        "measure copies of two sizes at least, each above 0 bytes and 0 s");
  }
  double w = 0;
  double wb = 0;
  double wt = 0;
  double wbb = 0;
  double wbt = 0;
  for (const auto& [bytes, seconds] : copies) {
    const double weight = 1 / (seconds * seconds);
    w += weight;
    wb += weight * bytes;
    wt += weight * seconds;
    wbb += weight * bytes * bytes;
    wbt += weight * bytes * seconds;
  }
  double a_byte = (w * wbt - wb * wt) / (w * wbb - wb * wb);
  double latency = (wt - wb * a_byte) / w;
  if (a_byte <= 0) {
    a_byte = 0;
    latency = wt / w;
  } else if (latency < 0) {
    latency = 0;
    a_byte = wbt / wbb;
  }
  return LinkCosts{latency, a_byte > 0 ? 1 / a_byte : 0};
}

double half_rate_bytes(const LinkCosts& link) { return link.latency * link.bandwidth; }

}  // namespace pipeline

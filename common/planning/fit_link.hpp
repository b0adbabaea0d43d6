/// \file
/// From measured copies to what a link costs.
#pragma once

#include <span>

#include "schedule/costs.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// What one copy took.
struct MeasuredCopy {
  double bytes = 0;    ///< of the message
  double seconds = 0;  ///< from its start to its arrival
};

/// The latency and the bandwidth whose latency + bytes / bandwidth is closest to all
/// copies: least squares of the *relative* errors, so that the smallest copies, which
/// know the latency, count as much as the largest, which know the bandwidth. With
/// weights w = 1 / seconds^2 that is a straight line:
///
///     1/bandwidth = (Σw Σwbt − Σwb Σwt) / (Σw Σwbb − (Σwb)^2)
///     latency     = (Σwt − Σwb / bandwidth) / Σw
///
/// Neither is below 0: of a line that would begin below, one through the origin is
/// taken; of one that falls, the bandwidth is 0, "size costs nothing". Refuses fewer
/// than two sizes, and sizes or times that are not above 0.
Expected<LinkCosts> fit_link(std::span<const MeasuredCopy> copies);

/// The bytes of which a link delivers half of its bandwidth: latency x bandwidth
/// (Hockney's n-half).
double half_rate_bytes(const LinkCosts& link);

}  // namespace pipeline

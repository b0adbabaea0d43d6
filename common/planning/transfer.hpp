/// \file
/// What it takes for transfers to cost nothing but the filling of the pipeline: a link
/// that is fast enough, senders that go on computing, and enough micro-batches in
/// flight.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/costs.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// One message on one link, in the unit of the costs.
struct Hop {
  double occupancy = 0;  ///< while the link can carry nothing else: bytes / bandwidth
  double latency = 0;    ///< from there to its arrival

  /// From leaving to arriving, on a free link.
  double time() const { return occupancy + latency; }
};

/// A message of so many bytes.
Hop hop_of(const LinkCosts& link, double bytes);

/// The message from stage s to stage s+1, on devices s and s+1; the gradient that comes
/// back takes the same. There must be a stage s+1.
Hop hop_behind(const Costs& costs, std::int32_t stage);

/// The bandwidth from which a link keeps up with stages that take `interval` a
/// micro-batch: bytes / interval. On a slower one messages queue, however many
/// micro-batches there are. An interval of 0 needs an infinite one.
double break_even_bandwidth(double bytes, double interval);

/// The costs of the same pipeline (stage s on device s) where a transfer blocks its
/// sender until the message has arrived. Such a transfer is part of the sender's work,
/// and so it is counted there: forwards take the activation's transfer longer and input
/// gradients the gradient's, and the links are free.
Expected<Costs> blocking_transfers(const Costs& costs, std::int32_t stages);

/// The fewest micro-batches that each stage of a 1F1B schedule must be allowed to hold,
/// for the pipeline (stage s on device s) to reach the `interval` of `pace_of`. With
/// free transfers and stages that are all alike these are p-s.
///
/// Stage a gets a micro-batch back from stage b after a round trip through all stages
/// and links between. Meanwhile it and b must have work, so for all a < b
///
///     held(a) - held(b) + 1 >= (sum of F+B over a..b + 2 sum of hops) / interval,
///
/// and the last stage holds 1. (A row that runs a forward and a backward in turn ties
/// the stages together in pairs, so that each pair rounds up on its own.) See
/// `one_f_one_b` for the schedule that holds as many.
Expected<std::vector<std::int32_t>> in_flight_to_hide(const Costs& costs,
                                                      std::int32_t stages);

}  // namespace pipeline

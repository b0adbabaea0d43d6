/// \file
/// What the lab is asked about a schedule: from the keys of a query to the schedule
/// itself, its costs and its limits, all of it checked and bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/json.hpp"
#include "lab/query.hpp"
#include "schedule/costs.hpp"
#include "schedule/schedule.hpp"
#include "schedule/verify.hpp"
#include "timeline/memory.hpp"

namespace pipeline {

/// The most that the lab computes with, so that no question freezes a page: devices,
/// and devices times chunks times micro-batches times steps times slices.
inline constexpr std::int32_t kMostLabDevices = 1024;
/// See `kMostLabDevices`.
inline constexpr std::int64_t kMostLabForwards = 131'072;

/// What is said of a figure.
struct FigureAsked {
  std::int32_t width = 760;  ///< in pixels
  std::string id;            ///< starts every id in it; empty: draw_svg's own
};

/// A schedule, and what the lab is to compute of it.
struct LabRequest {
  Schedule schedule;  ///< generated
  Costs costs;        ///< to simulate it with
  /// The memory limit and the shares that go with it.
  VerifyOptions limits;
  FigureAsked figure;  ///< of it

  /// The shares of `limits`, as memory is counted with.
  MemoryOptions sizes() const;
};

/// Keys, each optional, and as absent where nothing stands behind its '=':
///
///     schedule     one of `generators()`; 1f1b
///     p            devices, 1 to 1024; 4
///     m            micro-batches, 1 to 32768; 8
///     v            stages a device, 1 to 64, where the schedule lets one choose
///     group        of interleaved 1F1B, 1 to 32768
///     slices       1 to 1024 a micro-batch: one number, or one for each; 4
///     steps        1 to 64; 1
///     F I W R FB   what a stage's actions cost, 0 or 0.000001 to 1000000: one number,
///                  or one a stage with commas between; 1, but R is F, and FB is F+I+W
///     c            the time of a transfer, as a cost; 0
///     limit        most activations a device may hold, 0 to 1000000: one number, or
///                  one a device; none
///     freed        share of an activation that the input gradient frees, 0 to 1; 0
///     recompute    never, always, all-but-last, for-memory (to stay within `limit`)
///     kept         share of an activation that re-computation keeps, 0 to 1: a stage's
///                  input; 0
///     width        of the figure, 240 to 4000 pixels; 760
///     id           starts every id in the figure: those of one page must differ; at
///                  most 64 letters, digits, '-' and '_'
///
/// In all at most `kMostLabForwards`. `prefix` ("b.") is put before keys, and where the
/// query lacks such a key it counts without the prefix.
LabExpected<LabRequest> read_lab_request(const Query& query, std::string_view prefix);

/// `width` and `id` alone, as above.
LabExpected<FigureAsked> read_figure(const Query& query);

/// What a board's actions cost, and what its devices may hold.
struct CostsAndLimits {
  Costs costs;                       ///< one for all stages, or one for each
  std::vector<double> memory_limit;  ///< one for all devices, or one for each; or none
};

/// F, I, W, R, FB, c and limit alone, as above, for the stages and devices of `blank`.
LabExpected<CostsAndLimits> read_costs_and_limits(const Query& query,
                                                  const Schedule& blank);

/// Whether the lab knows a key of a schedule.
bool is_lab_request_key(std::string_view key);

/// A whole number from `least` to `most`; `otherwise` where the query has no such key.
LabExpected<std::int32_t> read_count(const Query& query, std::string_view key,
                                     std::int32_t least, std::int32_t most,
                                     std::int32_t otherwise);

}  // namespace pipeline

/// \file
/// What the lab is asked about a schedule: from the keys of a query to the schedule
/// itself, its costs and its limits, all of it checked and bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

/// A schedule, and what the lab is to compute of it.
struct LabRequest {
  Schedule schedule;  ///< generated
  Costs costs;        ///< to simulate it with
  /// The memory limit and the shares that go with it.
  VerifyOptions limits;
  std::int32_t width = 760;  ///< of a figure, in pixels
  std::string id;            ///< starts every id in a figure; empty: draw_svg's own

  /// The shares of `limits`, as memory is counted with.
  MemoryOptions sizes() const;
};

/// Keys, each optional:
///
///     schedule     one of `generators()`; 1f1b
///     p m v group slices steps        4 devices, 8 micro-batches; slices may be a list
///     F I W R FB   what a stage's actions cost: one number, or one a stage with
///                  commas between; R is F, and FB is F+I+W
///     c            the time of a transfer
///     limit        most activations a device may hold: one number, or one a device
///     freed        share of an activation that the input gradient frees
///     recompute    never, always, all-but-last, for-memory (to stay within `limit`)
///     kept         share of an activation that re-computation keeps: a stage's input
///     width        of the figure
///     id           starts every id in the figure: those of one page must differ
///
/// `prefix` ("b.") is put before keys, and where the query lacks such a key it counts
/// without the prefix.
LabExpected<LabRequest> read_lab_request(const Query& query, std::string_view prefix);

/// Whether the lab knows a key of a schedule.
bool is_lab_request_key(std::string_view key);

/// A whole number from `least` to `most`; `otherwise` where the query has no such key.
LabExpected<std::int32_t> read_count(const Query& query, std::string_view key,
                                     std::int32_t least, std::int32_t most,
                                     std::int32_t otherwise);

}  // namespace pipeline

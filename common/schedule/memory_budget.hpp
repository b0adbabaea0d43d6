/// \file
/// How much a searched schedule may hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// The limit of a device, of `limits` that are one for all devices, or one for each;
/// nothing where there are none.
inline std::optional<double> limit_of(const std::vector<double>& limits,
                                      std::size_t device) {
  if (limits.empty()) return std::nullopt;
  return limits[limits.size() == 1 ? 0 : device];
}

/// How much each device may hold, and when it is given back.
struct MemoryBudget {
  /// Most activations that a device may hold, counted like `Memory::peak`: one for all
  /// devices, or one for each; empty: no limit.
  std::vector<double> limit = {};
  double freed_by_input_gradient = 0;  ///< share of an activation; W frees the rest
};

/// A limit below one activation or of the wrong count, or a share that is none; nothing
/// when all is well.
std::optional<Error> fault_of(const MemoryBudget& budget, std::int32_t devices);

}  // namespace pipeline

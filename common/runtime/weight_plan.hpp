/// \file
/// Which buffer holds which version of a stage's weights, planned ahead:
///
///     row of stage 0    F0 F1 F2 F3 B0 U F4 B1 U F5 B2 U F6 B3 U F7 B4 U …
///     buffer 0          0──────────────────────────────────▸ 4────────────
///     buffer 1                         1───────────────────────────▸ 5────
///     buffer 2                                   2────────────────────────
///     buffer 3                                             3──────────────
///
/// (PipeDream with p = 4: a version is kept until the last backward that uses it.)
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "schedule/versions.hpp"

namespace pipeline {

/// The weights of one stage (of one copy). Buffer 0 is the network's own, and holds the
/// weights that a run starts from.
struct WeightPlan {
  /// Which buffers one update reads and writes.
  struct Update {
    std::int32_t from = 0;  ///< holds the newest version
    std::int32_t to = 0;    ///< gets the one after it; the same where nobody needs both
  };
  std::int32_t buffers = 1;             ///< as many as versions are ever kept at once
  std::vector<std::int32_t> buffer_of;  ///< by micro-batch: what it uses, both ways
  std::vector<Update> updates;          ///< by update, in order

  /// Where the newest weights are at the end.
  std::int32_t last() const { return updates.empty() ? 0 : updates.back().to; }
};

/// Plans the weights of stage `stage` and copy `copy`, by the row of its device.
/// `versions` are those of the schedule. Refuses rows that use a version which is not
/// there, or mix the gradients of two updates.
Expected<WeightPlan> plan_weights(const Schedule& schedule,
                                  const WeightVersions& versions, std::int32_t stage,
                                  std::int32_t copy);

}  // namespace pipeline

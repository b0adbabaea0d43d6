/// \file
/// What all who count activations ask of a schedule. Private to them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/pending.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// The parts (micro-batches, or slices of them) of each stage that have a Recompute
/// somewhere. The placement and the slices must have been checked.
class Recomputed {
 public:
  explicit Recomputed(const Schedule& schedule) {
    for (const Row& row : schedule.rows) {
      for (const Entry& entry : row) {
        if (entry.action.kind != ActionKind::Recompute) continue;
        if (!table_) table_.emplace(schedule);
        if (table_->in_range(entry.action)) table_->insert(entry.action);
      }
    }
  }

  /// Whether that of this action's stage and part is.
  bool contains(Action action) const {
    action.kind = ActionKind::Recompute;
    return table_ && table_->in_range(action) && table_->contains(action);
  }

 private:
  std::optional<PendingTable> table_;  ///< most schedules need none
};

/// Per device: how many of its stages one micro-batch visits. (Where two copies of the
/// weights differ, the larger number.)
inline std::vector<std::int32_t> stages_visited(const Schedule& schedule) {
  std::vector<std::int32_t> visited(schedule.rows.size(), 0);
  for (std::int32_t copy = 0; copy < schedule.placement.copies(); ++copy) {
    std::vector<std::int32_t> of_copy(schedule.rows.size(), 0);
    for (std::int32_t stage = 0; stage < schedule.stages(); ++stage) {
      ++of_copy[static_cast<std::size_t>(schedule.placement.device_of(stage, copy))];
    }
    for (std::size_t d = 0; d < visited.size(); ++d) {
      visited[d] = std::max(visited[d], of_copy[d]);
    }
  }
  return visited;
}

}  // namespace pipeline

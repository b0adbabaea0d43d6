#include "schedule/generate.hpp"

namespace pipeline {

//   tick      0  1  2  3  4  5
//   device 0  F0 F1 F2 F3
//   device 1     F0 F1 F2 F3
//   device 2        F0 F1 F2 F3      m + p - 1 ticks for p = 3, m = 4
Expected<Schedule> forward_only(const Shape& shape) {
  auto schedule =
      blank_schedule("forward", shape, {.training = false, .actions_per_cell = 1});
  if (!schedule) return schedule;
  for (std::int32_t stage = 0; stage < shape.devices; ++stage) {
    Row& row = schedule->rows[static_cast<std::size_t>(stage)];
    for (std::int32_t k = 0; k < schedule->total_micro_batches(); ++k) {
      row.push_back({{ActionKind::Forward, 0, stage, k}});
    }
  }
  return schedule;
}

}  // namespace pipeline

#include "schedule/generate.hpp"

namespace pipeline {

//   device 0  F0 F1 F2 F3                B0 B1 B2 B3 U
//   device 1     F0 F1 F2 F3          B0 B1 B2 B3    U
//   device 2        F0 F1 F2 F3    B0 B1 B2 B3       U
//   device 3           F0 F1 F2 F3 B0 B1 B2 B3       U
//
// (drawn with backwards as short as forwards). The paper runs the backwards from the
// last micro-batch to the first, which takes the same time; here they run from the
// first to the last, since gradients add up in micro-batch order on every schedule.
Expected<Schedule> gpipe(const Shape& shape) {
  auto schedule = blank_schedule("gpipe", shape, {});
  if (!schedule) return schedule;
  for (std::int32_t step = 0; step < shape.steps; ++step) {
    const std::int32_t first = step * shape.micro_batches;
    const std::int32_t end = first + shape.micro_batches;
    for (std::int32_t stage = 0; stage < shape.devices; ++stage) {
      Row& row = schedule->rows[static_cast<std::size_t>(stage)];
      for (std::int32_t k = first; k < end; ++k) {
        row.push_back({{ActionKind::Forward, 0, stage, k}});
      }
      for (std::int32_t k = first; k < end; ++k) {
        row.push_back({{ActionKind::Backward, 0, stage, k}});
      }
    }
    append_updates(*schedule, step, shape.global_norm);
  }
  return schedule;
}

}  // namespace pipeline

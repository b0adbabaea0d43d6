#include "schedule/generate.hpp"

namespace pipeline {

//   device 0  F0             B0 F1             B1 U
//   device 1     F0       B0       F1       B1    U
//   device 2        F0 B0             F1 B1       U
//
// Each device waits for the gradient of one micro-batch before it starts the next: of
// p devices one is busy at a time.
Expected<Schedule> model_parallel(const Shape& shape) {
  auto schedule = blank_schedule("model-parallel", shape, {});
  if (!schedule) return schedule;
  for (std::int32_t step = 0; step < shape.steps; ++step) {
    const std::int32_t first = step * shape.micro_batches;
    const std::int32_t end = first + shape.micro_batches;
    for (std::int32_t stage = 0; stage < shape.devices; ++stage) {
      Row& row = schedule->rows[static_cast<std::size_t>(stage)];
      for (std::int32_t k = first; k < end; ++k) {
        row.push_back({{ActionKind::Forward, 0, stage, k}});
        row.push_back({{ActionKind::Backward, 0, stage, k}});
      }
    }
    append_updates(*schedule, step, shape.global_norm);
  }
  return schedule;
}

}  // namespace pipeline

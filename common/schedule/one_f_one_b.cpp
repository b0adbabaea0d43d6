#include <algorithm>

#include "schedule/generate.hpp"

namespace pipeline {
namespace {

// The row of one stage in one step, micro-batches [first, end):
//
//   warm-up     │ steady: a forward, then a backward      │ cool-down
//   F0 … F(w-1) │ F(w) B0  F(w+1) B1  …  F(m-1) B(m-1-w)  │ B(m-w) … B(m-1)
//
// After w = min(p-1-s, m) forwards, the next gradient can be there as soon as one more
// forward has left: p-1-s stages lie behind this one. So at most w+1 = p-s activations
// are alive, however many micro-batches there are. Without the cap at m, a pipeline
// longer than its step would warm up with micro-batches that do not exist.
void append_step(Row& row, std::int32_t stage, std::int32_t devices, std::int32_t first,
                 std::int32_t end) {
  const std::int32_t warm_up = std::min(devices - 1 - stage, end - first);
  std::int32_t forward = first;
  std::int32_t backward = first;
  while (forward < first + warm_up) {
    row.push_back({{ActionKind::Forward, 0, stage, forward++}});
  }
  while (forward < end) {
    row.push_back({{ActionKind::Forward, 0, stage, forward++}});
    row.push_back({{ActionKind::Backward, 0, stage, backward++}});
  }
  while (backward < end) {
    row.push_back({{ActionKind::Backward, 0, stage, backward++}});
  }
}

}  // namespace

//   device 0  F0 F1 F2 F3          B0 F4 B1 …
//   device 1     F0 F1 F2       B0 F3 B1 F4 …
//   device 2        F0 F1    B0 F2 B1 F3 B2 …
//   device 3           F0 B0 F1 B1 F2 B2 F3 …
Expected<Schedule> one_f_one_b(const Shape& shape) {
  auto schedule = blank_schedule("1f1b", shape, {});
  if (!schedule) return schedule;
  for (std::int32_t step = 0; step < shape.steps; ++step) {
    const std::int32_t first = step * shape.micro_batches;
    for (std::int32_t stage = 0; stage < shape.devices; ++stage) {
      append_step(schedule->rows[static_cast<std::size_t>(stage)], stage, shape.devices,
                  first, first + shape.micro_batches);
    }
    append_updates(*schedule, step, shape.global_norm);
  }
  return schedule;
}

}  // namespace pipeline

#include "schedule/generate.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {

//   device 0  0F0 0B0 0F1 0B1 │ 0F2 0B2 0F3 0B3 │ AR1 AR3 U1 U3
//             copy 0           copy 1
Expected<Schedule> one_device_in_halves(const Shape& shape) {
  const auto place = [](std::int32_t devices, std::int32_t) {
    return Placement{devices, {0}, {0}};
  };
  auto schedule = blank_schedule("one-device-in-halves", shape, {.place = place});
  if (!schedule) return schedule;
  if (shape.devices != 1 || shape.micro_batches < 2) {
    return refuse("one device with two copies takes 2 micro-batches or more, but " +
                      counted(shape.devices, "device") + " and " +
                      counted(shape.micro_batches, "micro-batch") + " were asked for",
                  "ask for 1 device and at least 2 micro-batches");
  }
  Row& row = schedule->rows.front();
  for (std::int32_t step = 0; step < shape.steps; ++step) {
    const std::int32_t first = step * shape.micro_batches;
    for (std::int32_t k = first; k < first + shape.micro_batches; ++k) {
      row.push_back({{ActionKind::Forward, 0, 0, k}});
      row.push_back({{ActionKind::Backward, 0, 0, k}});
    }
    append_updates(*schedule, step, shape.global_norm);
  }
  return schedule;
}

}  // namespace pipeline

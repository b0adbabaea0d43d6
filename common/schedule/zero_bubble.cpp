#include "schedule/zero_bubble.hpp"

#include <algorithm>
#include <string_view>

namespace pipeline {
namespace {

// The row of one stage in one step, with `late` weight gradients kept back:
//
//   warm-up  │ I0 F  I1 F …  │ I(late) W0 F  I(late+1) W1 F …  │ I W  I W …  │ W … W
//            │ late times    │ one of each                     │ no forwards │ late
//
// The later a device comes in the pipeline, the longer it waits for its first forward,
// and the less it has to wait for at its end. So it warms up with fewer forwards and
// fills its end with weight gradients that it has kept back. Each of these is an
// activation held, just as each forward of the warm-up is: the sum of the two bounds
// what a device holds. Where forwards run out before `late` input gradients have been,
// only as many are kept back as there were forwards to put in their place.
void append_step(Row& row, std::int32_t stage, std::int32_t first, std::int32_t end,
                 std::int32_t warm_up, std::int32_t late) {
  const auto append = [&](ActionKind kind, std::int32_t k) {
    row.push_back({{kind, 0, stage, k}});
  };
  warm_up = std::min(warm_up, end - first);
  late = std::min(late, end - first - warm_up);
  for (std::int32_t k = first; k < first + warm_up; ++k) append(ActionKind::Forward, k);
  for (std::int32_t k = first; k < end; ++k) {
    append(ActionKind::InputGradient, k);
    if (k - late >= first) append(ActionKind::WeightGradient, k - late);
    if (k + warm_up < end) append(ActionKind::Forward, k + warm_up);
  }
  for (std::int32_t k = end - late; k < end; ++k) append(ActionKind::WeightGradient, k);
}

/// Stage s warms up with `per_stage` * (p-1-s) + 1 forwards, and keeps back `per_stage`
/// * s weight gradients.
Expected<Schedule> by_hand(std::string_view name, const Shape& shape,
                           std::int32_t per_stage) {
  auto schedule = blank_schedule(name, shape, {.actions_per_cell = 3});
  if (!schedule) return schedule;
  for (std::int32_t step = 0; step < shape.steps; ++step) {
    const std::int32_t first = step * shape.micro_batches;
    for (std::int32_t stage = 0; stage < shape.devices; ++stage) {
      append_step(schedule->rows[static_cast<std::size_t>(stage)], stage, first,
                  first + shape.micro_batches,
                  per_stage * (shape.devices - 1 - stage) + 1, per_stage * stage);
    }
    append_updates(*schedule, step, shape.global_norm);
  }
  return schedule;
}

}  // namespace

//   device 0  F0 F1 F2       I0 W0 F3 I1 W1 F4 I2 W2 F5 I3 W3 I4 W4 I5 W5
//   device 1     F0 F1    I0 F2 I1 W0 F3 I2 W1 F4 I3 W2 F5 I4 W3 I5 W4 W5
//   device 2        F0 I0 F1 I1 F2 I2 W0 F3 I3 W1 F4 I4 W2 F5 I5 W3 W4 W5
Expected<Schedule> zb_h1(const Shape& shape) { return by_hand("zb-h1", shape, 1); }

//   device 0  F0 F1 F2 F3 F4 I0 W0 F5 I1 W1 I2 W2 I3 W3 I4 W4 I5 W5
//   device 1     F0 F1 F2 I0 F3 I1 F4 I2 W0 F5 I3 W1 I4 W2 I5 W3 W4 W5
//   device 2        F0 I0 F1 I1 F2 I2 F3 I3 F4 I4 W0 F5 I5 W1 W2 W3 W4 W5
Expected<Schedule> zb_h2(const Shape& shape) { return by_hand("zb-h2", shape, 2); }

}  // namespace pipeline

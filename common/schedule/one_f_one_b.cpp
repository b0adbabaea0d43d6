#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "schedule/bounds.hpp"
#include "schedule/generate.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

// The row of one stage in one step, micro-batches [first, end):
//
//   warm-up     │ steady: a forward, then a backward      │ cool-down
//   F0 … F(w-1) │ F(w) B0  F(w+1) B1  …  F(m-1) B(m-1-w)  │ B(m-w) … B(m-1)
//
// With w forwards to warm up, at most w+1 activations are alive, however many
// micro-batches there are. Without the cap at m, a pipeline longer than its step would
// warm up with micro-batches that do not exist.
void append_step(Row& row, std::int32_t stage, std::int32_t held, std::int32_t first,
                 std::int32_t end) {
  const std::int32_t warm_up = std::min(held - 1, end - first);
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

// After p-1-s forwards of stage s the next gradient can be there as soon as one more
// forward has left, since p-1-s stages lie behind this one:
//
//   device 0  F0 F1 F2 F3          B0 F4 B1 …
//   device 1     F0 F1 F2       B0 F3 B1 F4 …
//   device 2        F0 F1    B0 F2 B1 F3 B2 …
//   device 3           F0 B0 F1 B1 F2 B2 F3 …
Expected<Schedule> one_f_one_b(const Shape& shape) {
  if (auto fault = refuse_count("devices", shape.devices, kMaximumDevices)) {
    return tl::unexpected<Error>(*std::move(fault));
  }
  std::vector<std::int32_t> held(static_cast<std::size_t>(shape.devices));
  std::iota(held.rbegin(), held.rend(), 1);  // p, …, 1
  return one_f_one_b(shape, held);
}

Expected<Schedule> one_f_one_b(const Shape& shape, std::span<const std::int32_t> held) {
  if (std::cmp_not_equal(held.size(), shape.devices)) {
    return refuse(counted(std::ssize(held), "limit") + " on what a stage holds, for " +
                      counted(shape.devices, "stage"),
                  "give one for each stage");
  }
  for (std::size_t s = 0; s < held.size(); ++s) {
    const std::int32_t behind = s + 1 < held.size() ? held[s + 1] : 1;
    if (held[s] >= behind) continue;
    return refuse(
        "stage " + std::to_string(s) + " is to hold " +
            counted(held[s], "micro-batch") + ", where " +
            (s + 1 < held.size() ? "the stage after it holds " + std::to_string(behind)
                                 : "it needs 1 to do anything"),
        "let each stage hold at least as many as the one after it");
  }
  auto schedule = blank_schedule("1f1b", shape, {});
  if (!schedule) return schedule;
  for (std::int32_t step = 0; step < shape.steps; ++step) {
    const std::int32_t first = step * shape.micro_batches;
    for (std::int32_t stage = 0; stage < shape.devices; ++stage) {
      const auto index = static_cast<std::size_t>(stage);
      append_step(schedule->rows[index], stage, held[index], first,
                  first + shape.micro_batches);
    }
    append_updates(*schedule, step, shape.global_norm);
  }
  return schedule;
}

}  // namespace pipeline

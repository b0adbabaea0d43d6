#include <cstddef>
#include <utility>
#include <vector>

#include "schedule/bounds.hpp"
#include "schedule/generate.hpp"
#include "schedule/parts.hpp"

namespace pipeline {
namespace {

void append_step(Row& row, std::int32_t stage, std::int32_t first,
                 const std::vector<std::int32_t>& slices) {
  const auto m = static_cast<std::int32_t>(slices.size());
  for (std::int32_t k = 0; k < m; ++k) {
    for (std::int32_t j = 0; j < slices[static_cast<std::size_t>(k)]; ++j) {
      row.push_back(
          {{ActionKind::Forward, static_cast<std::int16_t>(j), stage, first + k}});
    }
  }
  for (std::int32_t k = 0; k < m; ++k) {
    for (std::int32_t j = slices[static_cast<std::size_t>(k)]; j-- > 0;) {
      row.push_back(
          {{ActionKind::Backward, static_cast<std::int16_t>(j), stage, first + k}});
    }
  }
}

}  // namespace

// A token attends to those before it and to none behind it. So a stage can run the
// first slice of a sequence while the rest is still on the stage before; and since a
// gradient comes from all tokens that attended, backwards run from the last slice to
// the first. One micro-batch of 4 slices, 0.j for slice j:
//
//   device 0  F0.0 F0.1 F0.2 F0.3                     B0.3 B0.2 B0.1 B0.0 U
//   device 1       F0.0 F0.1 F0.2 F0.3           B0.3 B0.2 B0.1 B0.0      U
//   device 2            F0.0 F0.1 F0.2 F0.3 B0.3 B0.2 B0.1 B0.0           U
Expected<Schedule> token_slices(const Shape& shape,
                                const std::vector<std::int32_t>& slices) {
  auto schedule = blank_schedule("token-slices", shape, {});
  if (!schedule) return schedule;
  schedule->slices = slices;
  if (slices.size() < 2) {
    schedule->slices.assign(static_cast<std::size_t>(shape.micro_batches),
                            slices.empty() ? kDefaultSlices : slices.front());
  }
  if (auto error = refuse_slices(schedule->slices, shape.devices, shape.micro_batches,
                                 shape.steps, 2)) {
    return tl::unexpected(*std::move(error));
  }
  for (std::int32_t step = 0; step < shape.steps; ++step) {
    for (std::int32_t stage = 0; stage < shape.devices; ++stage) {
      append_step(schedule->rows[static_cast<std::size_t>(stage)], stage,
                  step * shape.micro_batches, schedule->slices);
    }
    append_updates(*schedule, step, shape.global_norm);
  }
  return schedule;
}

}  // namespace pipeline

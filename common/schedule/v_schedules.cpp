#include "schedule/v_schedules.hpp"

#include <algorithm>
#include <array>

#include "schedule/building_block.hpp"
#include "schedule/v_order.hpp"

namespace pipeline {
namespace {

constexpr std::int32_t kChunks = 2;

Placement place(std::int32_t devices, std::int32_t /*chunks*/) {
  return v_placement(devices);
}

// Chunk 0 of device d is stage d, chunk 1 stage 2p-1-d.
Action action_of(BlockPass pass, std::int32_t device, std::int32_t devices) {
  const std::int32_t down = device;
  const std::int32_t up = 2 * devices - 1 - device;
  switch (pass) {
    case BlockPass::Forward0:
      return {ActionKind::Forward, 0, down};
    case BlockPass::Forward1:
      return {ActionKind::Forward, 0, up};
    case BlockPass::InputGradient1:
      return {ActionKind::InputGradient, 0, up};
    case BlockPass::InputGradient0:
      return {ActionKind::InputGradient, 0, down};
    case BlockPass::WeightGradient1:
      return {ActionKind::WeightGradient, 0, up};
    case BlockPass::WeightGradient0:
      return {ActionKind::WeightGradient, 0, down};
  }
  return {};
}

void append_step(Row& row, const std::vector<BlockPass>& passes, std::int32_t device,
                 std::int32_t devices, std::int32_t first) {
  std::array<Action, kPasses> next;
  for (std::size_t pass = 0; pass < next.size(); ++pass) {
    next[pass] = action_of(static_cast<BlockPass>(pass), device, devices);
    next[pass].micro_batch = first;
  }
  for (const BlockPass pass : passes) {
    Action& action = next[static_cast<std::size_t>(pass)];
    row.push_back({action});
    ++action.micro_batch;
  }
}

// Repeat, squeeze, reorder. A step's rows end with nothing held, so that the next
// step's simply follow, and run into the bubble that it leaves.
Expected<Schedule> v_schedule(std::string_view name, const Shape& shape,
                              BuildingBlock (*block_of)(std::int32_t)) {
  auto schedule = blank_schedule(
      name, shape, {.chunks = kChunks, .place = place, .actions_per_cell = 3});
  if (!schedule) return schedule;
  const VOrder order = v_order(block_of(shape.devices), shape.micro_batches);
  for (std::int32_t step = 0; step < shape.steps; ++step) {
    for (std::int32_t d = 0; d < shape.devices; ++d) {
      const auto row = static_cast<std::size_t>(d);
      append_step(schedule->rows[row], order.rows[row], d, shape.devices,
                  step * shape.micro_batches);
    }
    append_updates(*schedule, step, shape.global_norm);
  }
  return schedule;
}

}  // namespace

Expected<Schedule> v_min(const Shape& shape) {
  return v_schedule("v-min", shape, v_min_block);
}

Expected<Schedule> v_half(const Shape& shape) {
  return v_schedule("v-half", shape, v_half_block);
}

Expected<Schedule> zb_v(const Shape& shape) {
  return v_schedule("zb-v", shape, zb_v_block);
}

}  // namespace pipeline

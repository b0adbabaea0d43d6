#include "schedule/chimera.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

/// An action and the slot of its device in which the construction puts it.
using Slot = std::pair<std::int32_t, Action>;

// One way through the pipeline, alone, every action one slot long: a micro-batch enters
// two slots after the one before it, so that on each stage every other slot is free.
//
//     slot      0  1  2  3  4  5  6  7  8  9
//     stage 0   F0    F1             B0    B1
//     stage 1      F0    F1       B0    B1
//     stage 2         F0    F1 B0    B1
//     stage 3            F0 B0 F1 B1
//
// The other way runs the same mirrored: device d holds its stage p-1-d. Its slots are
// the ones left free, as long as no way takes more than p/2 slots for its forwards:
// forwards of one way and backwards of the other share the parity of d, but the former
// end in slot d+p-2 and the latter begin in slot d+p.
//
// Under forward doubling a slot is as long as two forwards. The backwards of the second
// half, which have no forwards beside them, follow p slots after those of the first:
//
//     stage 3            F01 B0 F23 B1    B2    B3
struct Unit {
  std::int32_t devices = 0;
  std::int32_t forwards_per_slot = 1;

  std::int32_t each_way() const { return devices / 2 * forwards_per_slot; }
  std::int32_t length() const { return devices * (1 + forwards_per_slot); }

  /// Micro-batches [first, end) of one way, of a unit that begins in slot `begin`.
  void append(std::vector<Slot>& slots, std::int32_t begin, std::int32_t stage,
              std::int32_t first, std::int32_t end) const {
    const std::int32_t taken =
        (end - first + forwards_per_slot - 1) / forwards_per_slot;
    for (std::int32_t i = 0; i < end - first; ++i) {
      slots.push_back({begin + 2 * (i / forwards_per_slot) + stage,
                       {ActionKind::Forward, 0, stage, first + i}});
      slots.push_back(
          {begin + 2 * (i % taken) + devices * (i / taken) + 2 * devices - 1 - stage,
           {ActionKind::Backward, 0, stage, first + i}});
    }
  }
};

// The first forwards of a unit fill the slots that the last backwards of the one before
// leave free.
void append_step(Row& row, std::int32_t device, const Unit& unit, std::int32_t first,
                 std::int32_t middle, std::int32_t end) {
  std::vector<Slot> slots;
  slots.reserve(2 * static_cast<std::size_t>(end - first));
  for (std::int32_t i = 0; first + i * unit.each_way() < middle; ++i) {
    const auto append = [&](std::int32_t stage, std::int32_t from, std::int32_t to) {
      from = std::min(from + i * unit.each_way(), to);
      unit.append(slots, i * unit.length(), stage, from,
                  std::min(from + unit.each_way(), to));
    };
    append(device, first, middle);
    append(unit.devices - 1 - device, middle, end);
  }
  std::sort(slots.begin(), slots.end());
  for (const Slot& slot : slots) row.push_back({slot.second});
}

std::optional<Error> refuse_chimera(const Shape& shape) {
  if (auto error = refuse_odd_devices("chimera", shape.devices)) return error;
  if (shape.micro_batches < 2) {
    return Error{
        "chimera sends micro-batches both ways and needs at least 2, but 1 "
        "was asked for",
        "ask for 2 micro-batches or more, or for 1f1b"};
  }
  return std::nullopt;
}

}  // namespace

//   device 0  F0    F1 F2 B2 F3 B3 B0    B1
//   device 1     F0 F2 F1 F3 B2 B0 B3 B1        micro-batches 0 and 1 go down,
//   device 2     F2 F0 F3 F1 B0 B2 B1 B3        2 and 3 go up
//   device 3  F2    F3 F0 B0 F1 B1 B2    B3
Expected<Schedule> chimera(const Shape& shape, Concatenation concatenation) {
  const auto place = [](std::int32_t devices, std::int32_t) {
    return two_way_placement(devices);
  };
  auto schedule = blank_schedule("chimera", shape, {.place = place});
  if (!schedule) return schedule;
  if (const auto error = refuse_chimera(shape)) return tl::unexpected(*error);
  const Unit unit{shape.devices, concatenation == Concatenation::Direct ? 1 : 2};
  for (std::int32_t step = 0; step < shape.steps; ++step) {
    const std::int32_t first = step * shape.micro_batches;
    const std::int32_t middle = first + schedule->micro_batches_of_first_copy();
    for (std::int32_t device = 0; device < shape.devices; ++device) {
      append_step(schedule->rows[static_cast<std::size_t>(device)], device, unit, first,
                  middle, first + shape.micro_batches);
    }
    append_updates(*schedule, step, shape.global_norm);
  }
  return schedule;
}

}  // namespace pipeline

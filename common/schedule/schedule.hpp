/// \file
/// A schedule is a value: which device does which action in which order. It holds no
/// times, no memory and no buffers; those are functions of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/action.hpp"

namespace pipeline {

/// Which device holds which stage. `device_of_stage[s]` is the device of stage s.
struct Placement {
  std::int32_t devices = 0;
  std::vector<std::int32_t> device_of_stage;

  std::int32_t stages() const {
    return static_cast<std::int32_t>(device_of_stage.size());
  }
  std::int32_t device_of(std::int32_t stage) const {
    return device_of_stage[static_cast<std::size_t>(stage)];
  }
  bool operator==(const Placement&) const = default;
};

/// Stage s on device s: the placement of every schedule without chunks.
Placement one_stage_per_device(std::int32_t devices);

/// One place in a row. Entries joined by `with_next` run together: an overlapped
/// forward and backward, or sends and receives that are posted as one group.
struct Entry {
  Action action;
  bool with_next = false;

  bool operator==(const Entry&) const = default;
};

using Row = std::vector<Entry>;

/// A row a device, each an ordered list of what that device does. `micro_batches`
/// counts those of one step; a run of several steps numbers them on: step i holds
/// [i*micro_batches, (i+1)*micro_batches).
struct Schedule {
  std::string name;
  Placement placement;
  std::int32_t micro_batches = 0;
  std::int32_t steps = 1;
  bool training = true;  ///< false: forwards only, no backward and no update
  std::vector<Row> rows;

  std::int32_t devices() const { return placement.devices; }
  std::int32_t stages() const { return placement.stages(); }
  std::int32_t total_micro_batches() const { return micro_batches * steps; }
  bool operator==(const Schedule&) const = default;
};

}  // namespace pipeline

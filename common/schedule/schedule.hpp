/// \file
/// A schedule is a value: which device does which action in which order. It holds no
/// times, no memory and no buffers; those are functions of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/action.hpp"

namespace pipeline {

/// Which device holds which stage. `device_of_stage[s]` is the device of stage s. A
/// two-way schedule keeps the weights twice: `device_of_second_copy[s]` is the device
/// of the second copy of stage s, and empty where there is one copy.
struct Placement {
  std::int32_t devices = 0;                              ///< p
  std::vector<std::int32_t> device_of_stage;             ///< by stage
  std::vector<std::int32_t> device_of_second_copy = {};  ///< by stage, or empty

  /// How many stages: S.
  std::int32_t stages() const {
    return static_cast<std::int32_t>(device_of_stage.size());
  }
  /// Copies of the weights: 1 or 2.
  std::int32_t copies() const { return device_of_second_copy.empty() ? 1 : 2; }
  /// The device that holds a copy of a stage.
  std::int32_t device_of(std::int32_t stage, std::int32_t copy = 0) const {
    return (copy == 0 ? device_of_stage
                      : device_of_second_copy)[static_cast<std::size_t>(stage)];
  }
  bool operator==(const Placement&) const = default;
};

/// Stage s on device s: the placement of every schedule without chunks.
Placement one_stage_per_device(std::int32_t devices);

/// Stage s on device s mod p, `chunks` of them on each: a loop that starts again at
/// device 0 (interleaved 1F1B).
///
///     device    0 1 2 3
///     stages    0 1 2 3
///               4 5 6 7
Placement loop_placement(std::int32_t devices, std::int32_t chunks);

/// Stages run down the devices and back up, two on each: the last stage is on the
/// device of the first (V schedules, DualPipeV).
///
///     device    0 1 2 3
///     stages    0 1 2 3
///               7 6 5 4
Placement v_placement(std::int32_t devices);

/// Two copies of the weights, one stage of each on every device, the second from the
/// other end (DualPipe, Chimera).
///
///     device    0 1 2 3
///     copy 0    0 1 2 3
///     copy 1    3 2 1 0
Placement two_way_placement(std::int32_t devices);

/// Which weights a micro-batch's forward and backward use. Both always use the same.
enum class WeightPolicy : std::uint8_t {
  Synchronous,     ///< those that the step began with: an update is a flush
  Stashed,         ///< an update after each backward; the forward uses the newest
  VerticalSync,    ///< the same, but all stages use the version that stage 0 used
  DoubleBuffered,  ///< step t uses what update t-2 left: w(t+1) = w(t) - g(w(t-1))
};

/// One place in a row. Entries joined by `with_next` run together: an overlapped
/// forward and backward, or sends and receives that are posted as one group.
struct Entry {
  Action action;           ///< what is done here
  bool with_next = false;  ///< joined with the entry after this one

  bool operator==(const Entry&) const = default;
};

/// What one device does, in order.
using Row = std::vector<Entry>;

/// A row a device, each an ordered list of what that device does. `micro_batches`
/// counts those of one step; a run of several steps numbers them on: step i holds
/// [i*micro_batches, (i+1)*micro_batches).
struct Schedule {
  /// Of the algorithm, e.g. "1f1b".
  std::string name;
  Placement placement;             ///< which device holds which stage
  std::int32_t micro_batches = 0;  ///< m, of one step
  std::int32_t steps = 1;          ///< steps in a row
  bool training = true;            ///< false: forwards only, no backward and no update
  /// Which version of its weights a stage uses.
  WeightPolicy weights = WeightPolicy::Synchronous;
  /// Into how many slices the sequence of each micro-batch of a step is cut; empty
  /// where none is cut.
  std::vector<std::int32_t> slices = {};
  std::vector<Row> rows = {};  ///< one a device

  /// How many devices: p.
  std::int32_t devices() const { return placement.devices; }
  /// How many stages: S.
  std::int32_t stages() const { return placement.stages(); }
  /// Micro-batches of all steps.
  std::int32_t total_micro_batches() const { return micro_batches * steps; }

  /// Of one update: asynchronous schedules update after each.
  std::int32_t micro_batches_per_update() const {
    return weights == WeightPolicy::Stashed || weights == WeightPolicy::VerticalSync
               ? 1
               : micro_batches;
  }
  /// How many micro-batches of each step run on the first copy of the weights; the
  /// rest run on the second.
  std::int32_t micro_batches_of_first_copy() const {
    return placement.copies() == 1 ? micro_batches : (micro_batches + 1) / 2;
  }
  /// The copy of the weights that a micro-batch runs on.
  std::int32_t copy_of(std::int32_t micro_batch) const {
    return placement.copies() == 1 ||
                   micro_batch % micro_batches < micro_batches_of_first_copy()
               ? 0
               : 1;
  }
  /// The device that runs a micro-batch's part of a stage.
  std::int32_t device_of(std::int32_t stage, std::int32_t micro_batch) const {
    return placement.device_of(stage, copy_of(micro_batch));
  }
  /// Into how many slices the sequence of a micro-batch is cut; 1 where it is not.
  std::int32_t slices_of(std::int32_t micro_batch) const {
    return slices.empty()
               ? 1
               : slices[static_cast<std::size_t>(micro_batch % micro_batches)];
  }
  bool operator==(const Schedule&) const = default;
};

}  // namespace pipeline

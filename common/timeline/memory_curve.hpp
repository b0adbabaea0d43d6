/// \file
/// How many activations a device holds from moment to moment.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/activations.hpp"
#include "schedule/schedule.hpp"
#include "timeline/memory.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// A step of the curve: what is held from `time` on, until the next step.
struct MemoryStep {
  double time = 0;          ///< on the timeline's clock
  double held = 0;          ///< in micro-batches, like `Memory::peak`
  std::int32_t chunks = 0;  ///< like `Memory::peak_chunks`

  bool operator==(const MemoryStep&) const = default;
};

/// A curve for each device, in order of time; before its first step a device holds
/// nothing. A cell makes what it makes as it starts and frees what it frees as it ends:
///
///     F0 F1 ·· B0 B1         ▁▁██████▁▁     1 2 2 2 1 0
///
/// The highest step of a device is its peak in `memory`. Where a cell takes no time,
/// two steps have the same time. Steps at which nothing changes are left out. Linear in
/// the number of actions. The timeline must belong to the schedule; else there are no
/// curves.
std::vector<std::vector<MemoryStep>> memory_curve(const Schedule& schedule,
                                                  const Timeline& timeline,
                                                  const MemoryOptions& options = {});

/// The same of rows that go on: `recomputed` says of which forwards a Recompute stands
/// in them, or is still to come.
std::vector<std::vector<MemoryStep>> memory_curve(const Schedule& schedule,
                                                  const Timeline& timeline,
                                                  const MemoryOptions& options,
                                                  const Recomputed& recomputed);

}  // namespace pipeline

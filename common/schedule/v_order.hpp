/// \file
/// From a building block to the rows of a V schedule, step by step: repeat, squeeze,
/// reorder (Qi et al. 2024, arXiv 2405.15362). Here an order is what a schedule's rows
/// are before they name stages and micro-batches, and every pass takes one tick.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/building_block.hpp"

namespace pipeline {

/// For each device the order of its passes. The k-th of a kind is that of micro-batch
/// k, since each kind runs in the order of the micro-batches.
struct VOrder {
  std::int32_t micro_batches = 0;            ///< m
  std::vector<std::vector<BlockPass>> rows;  ///< by device

  /// How many devices: p.
  std::int32_t devices() const { return static_cast<std::int32_t>(rows.size()); }
  bool operator==(const VOrder&) const = default;
};

/// The block once for each micro-batch, one period apart.
VOrder repeat(const BuildingBlock& block, std::int32_t micro_batches);

/// An order, and what it amounts to when each pass starts as early as it can.
struct Squeezed {
  VOrder order;                                   ///< the rows that were squeezed
  std::vector<std::vector<std::int32_t>> starts;  ///< the tick of each pass of a row
  std::int32_t makespan = 0;      ///< ticks from the first start to the last end
  std::int32_t longest_span = 0;  ///< of a device, from its first start to its last end
};

/// The same order without the waits that nothing asks for: each device runs its passes
/// as early as they can be.
Squeezed squeeze(const VOrder& order);

/// Most activations that a device holds, in chunks.
std::int32_t peak_chunks(const VOrder& order);

/// Squeezes, and where a device would wait, moves the first pass forward that can run
/// in that tick and leaves the device within `limit` activations (in chunks) all along.
/// After the device's last forward, an input gradient that can run goes before weight
/// gradients, which fill what is left.
///
/// No pass then ends later than by `squeeze`, weight gradients after the last forward
/// aside, and no device idles longer. The peak of `order` must be within the limit.
Squeezed move_forward(const VOrder& order, std::int32_t limit);

/// The mirror image: from the last tick on, each pass as late as it can be, and where a
/// device would have nothing to do, the last one moved back that can run in that tick.
/// What comes of it starts from a schedule's end, and is for `move_forward` to close.
VOrder move_back(const VOrder& order, std::int32_t limit);

/// `move_forward`, and if that is above the lower bounds also the way back and forth,
/// whichever is better: the shorter makespan, and of equal ones the shorter span.
Squeezed reorder(const VOrder& order, std::int32_t limit);

/// The same for `more` micro-batches more: as many copies are put in of six ticks in
/// which every device runs each kind of pass once. All counts then grow by one a copy,
/// so that whatever was done in time still is. Where there are no such six ticks,
/// nothing.
std::optional<VOrder> stretch(const Squeezed& squeezed, std::int32_t more);

/// The order of a schedule: the block repeated and reordered within its peak bound. Of
/// many micro-batches only so many are gone through as it takes to reach the middle of
/// the pipeline, and the middle is stretched.
VOrder v_order(const BuildingBlock& block, std::int32_t micro_batches);

/// No V schedule of these sizes with unit costs, of which no device holds more than
/// `limit` chunks, is shorter. Device i sees its first input gradient in tick 2p+i, and
/// until then can run no more forwards than it can hold; the last device starts in tick
/// p-1; one micro-batch goes four times through the devices, and then its last weight
/// gradient runs.
std::int32_t makespan_bound(std::int32_t devices, std::int32_t micro_batches,
                            std::int32_t limit);

}  // namespace pipeline

/// \file
/// Exercise 17: from one micro-batch to the memory and the times of a V schedule. Every
/// device holds two chunks, 0 on the way down the devices and 1 on the way up. Every
/// action takes one tick, and a micro-batch begins every `kTicksBetween` ticks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "classroom/chapter_rows.hpp"

namespace pipeline {

/// Ticks between a micro-batch and the next: as many as a device has actions for each.
inline constexpr std::int32_t kTicksBetween = 6;

/// One micro-batch on one device: the tick in which each action starts.
struct DeviceBlock {
  std::int32_t forward0 = 0;
  std::int32_t forward1 = 0;
  std::int32_t input_gradient1 = 0;
  std::int32_t input_gradient0 = 0;
  std::int32_t weight_gradient1 = 0;
  std::int32_t weight_gradient0 = 0;
};

/// The same block with its weight gradients in the gaps: that of chunk 1 first, in the
/// first tick after its input gradient in which the device is free in every period;
/// then that of chunk 0. The other four start at the ticks given, no two of them in the
/// same tick of a period.
DeviceBlock fill_gaps(DeviceBlock block);

/// How many ticks the device holds the activation of chunk 0, and how many that of
/// chunk 1, together: each from the start of the forward to the end of the weight
/// gradient.
std::int32_t held_ticks(const DeviceBlock& block);

/// The bound on what a device holds, in whole micro-batches of two chunks, for the
/// device for which it is largest. `blocks` is the block of each device, at least one.
std::int32_t peak_bound(const std::vector<DeviceBlock>& blocks);

/// Whether `row[from]`, a forward, may be moved in front of `row[to]` (to <= from)
/// so that the device never holds more than `limit` activations: a Forward takes one,
/// a WeightGradient frees one, an InputGradient does neither. The row as it is keeps
/// the limit.
bool may_move_forward(const Row& row, std::size_t from, std::size_t to,
                      std::int32_t limit);

/// The tick in which each entry of each row starts, all of them as early as they can
/// in this order: a device does one thing at a time, and
///
/// - a Forward needs the Forward of the stage before, of the same micro-batch;
/// - an InputGradient needs the InputGradient of the stage behind, and that of the last
///   stage needs its Forward;
/// - a WeightGradient needs the InputGradient of its stage.
///
/// What is needed must have ended. Rows hold these three kinds, each once for each
/// stage and micro-batch, in an order that can run.
std::vector<std::vector<std::int32_t>> squeeze(const std::vector<Row>& rows,
                                               std::int32_t stages);

}  // namespace pipeline
